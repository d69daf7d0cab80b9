import type { Json, Question } from "@pawl/core";
import { outputIn, runMessageId, type ViewMessage, type ViewPart, type ViewState } from "@pawl/core/view";
import { hasResult, isApproval } from "../base/answers.ts";
import type { ApprovalRecord, ThreadFacts } from "../base/facts.ts";
import { isOutcome } from "../base/outcomes.ts";
import { questionId } from "../base/question-id.ts";
import { citationsField, citedParts, eachSourceOnce, outcomeUiPart } from "./ai-sdk-sources.ts";
import type { UiPart } from "./ui-part.ts";

/**
 * Returns a session as `{ id, messages }` for `useChat({ id, messages })` after a page reload. Of a message
 * in progress, only the stored parts are included; `resume` streams the message again from its beginning.
 */
export function aiSdkMessages(view: ViewState, id: string, facts: ThreadFacts): object {
  const messages = withPlace(view).flatMap((message): object[] => {
    const { id: name, role } = message;
    const parts = role === "user" ? message.parts.flatMap(textPart) : assistantParts(message, view, facts);
    const isWriting = view.run?.open === true && name === runMessageId(view.run);
    if (role === "assistant" && parts.length === 0 && !isWriting) return [];
    const metadata = metadataOf(facts, name);
    return [{ id: name, role, parts, ...(metadata && { metadata }) }];
  });
  return { id, messages };
}

/**
 * Adds an empty message for a run that has no output yet, before queued messages. Otherwise `resume` would
 * add the run's message after them.
 */
function withPlace({ messages, run }: ViewState): ViewMessage[] {
  const at = messages.findIndex(({ queued }) => queued);
  const id = runMessageId(run);
  if (run?.open !== true || at === -1 || messages.some((message) => message.id === id)) return messages;
  return messages.toSpliced(at, 0, { id, role: "assistant", text: "", parts: [], seq: run.seq });
}

/** Returns a message's model, usage and cost in the AI SDK's format; `undefined` without usage. */
export function metadataOf({ spent }: ThreadFacts, id: string): object | undefined {
  const known = spent.get(id);
  if (known === undefined) return undefined;
  const { prompt, completion, cached, cache_write, total } = known.tokens;
  const usage = {
    inputTokens: prompt + cached + cache_write,
    outputTokens: completion,
    totalTokens: total,
    cachedInputTokens: cached,
  };
  const cost = known.costUsd > 0 && { costUsd: known.costUsd };
  return { ...(known.model !== undefined && { model: known.model }), usage, ...cost };
}

/**
 * Returns the parts of an assistant message in the AI SDK's format, in the order in which an open page gets
 * them: the sources of an answer come once it is complete, after its text and before its calls.
 */
export function assistantParts(
  { parts }: Pick<ViewMessage, "parts">,
  view: ViewState,
  facts: ThreadFacts,
): UiPart[] {
  let turn = "";
  const once = eachSourceOnce();
  const shownParts = (part: ViewPart): UiPart[] => {
    if (isOutcome(part)) return [outcomeUiPart(part)];
    const shown = partsOf(part, view, facts);
    const isNew = shown.length > 0 && part.type !== "notice" && answerOf(part) !== turn;
    if (isNew) turn = answerOf(part);
    return isNew ? [{ type: "step-start" }, ...shown] : shown;
  };
  return [...Map.groupBy(parts, answerOf).values()].flatMap((answer) => {
    const sources = answer.filter((part) => part.type === "source" && part.callId === undefined);
    const others = answer.filter((part) => !sources.includes(part));
    const at = others.findLastIndex(({ type }) => type === "text" || type === "thinking") + 1;
    const cited = answer.flatMap((part) => (part.type === "text" ? citedParts(part.citations) : []));
    const found = sources.flatMap(shownParts);
    const [words, calls] = [others.slice(0, at).flatMap(shownParts), others.slice(at).flatMap(shownParts)];
    return once([...words, ...cited, ...found, ...calls]);
  });
}

/** Returns the beginning of a part's key, which the parts of one answer have in common. */
function answerOf({ key }: ViewPart): string {
  return key.slice(0, key.indexOf(":"));
}

function partsOf(part: ViewPart, view: ViewState, facts: ThreadFacts): UiPart[] {
  if (part.type === "tool") return [toolPart(part, view.pending, facts)];
  if (part.type === "output") return [outputPart(outputIn(part) ?? null, !part.open)];
  if (part.type !== "notice") return textPart(part);
  const { stop, text, key } = part;
  return isNotice(stop, facts.failed.has(key.slice("end:".length))) ? [noticePart(stop, text)] : [];
}

/** Returns the run's output as a data part. A page replaces the earlier part with the same id. */
export function outputPart(value: Json, final: boolean): UiPart {
  return { type: "data-output", id: "output", data: { value, final } };
}

function textPart(part: ViewPart): UiPart[] {
  if (part.type === "file") return [filePart(part)];
  if (part.type === "text")
    return [{ type: "text", text: part.text, state: "done", ...citationsField(part.citations) }];
  return part.type === "thinking" ? [{ type: "reasoning", text: part.text, state: "done" }] : [];
}

function filePart({ url = "", mediaType, name }: ViewPart & { type: "file" }): UiPart {
  return { type: "file", mediaType, url, ...(name !== undefined && { filename: name }) };
}

/**
 * Returns whether the message explains why its run ended. A failure is sent as an error instead, and a user
 * who stopped the run needs no explanation.
 */
export function isNotice(stop: string, failed: boolean): boolean {
  return !failed && !["end_turn", "terminal_tool", "interrupted", "suspended", "aborted"].includes(stop);
}

function noticePart(stop: string, text: string): UiPart {
  return { type: "text", text, state: "done", providerMetadata: noticeMark(stop) };
}

/**
 * Returns the metadata that marks a text part as Pawl's explanation of why the run ended. `stop` is the
 * reason.
 */
export function noticeMark(stop: string): object {
  return { pawl: { notice: stop } };
}

type ToolPart = ViewPart & { type: "tool" };

function toolPart(part: ToolPart, pending: readonly Question[], facts: ThreadFacts): UiPart {
  const { callId: toolCallId, toolName, arguments: input, phase, result } = part;
  const mark = callMark(facts.approvals.get(toolCallId), lastAsked(part));
  const call = { type: `tool-${toolName}`, toolCallId, input, providerExecuted: true, ...mark };
  const question = pending.find(({ callId }) => callId === toolCallId);
  if (question !== undefined) {
    const shown = { ...call, input: shownInput(question, input) };
    if (!isApproval(question)) return { ...shown, state: "input-available", providerExecuted: false };
    return { ...shown, state: "approval-requested", approval: { id: questionId(question.seq) } };
  }
  const answered = { ...call, ...approvalOf(toolCallId, facts) };
  if (phase !== "done" && phase !== "error") return { ...answered, state: "input-available" };
  const outcome = outcomeOf(toolCallId, facts);
  if (outcome === "denied") return { ...answered, state: "output-denied" };
  if (outcome !== undefined) return { ...answered, state: "output-error", errorText: outcome.error };
  const last = part.questions?.at(-1);
  // An approved call that has not run yet. The page has the answer to any other question as the output.
  if (last !== undefined && isApproval(last) && !hasResult(part))
    return { ...answered, state: "input-available" };
  if (phase === "error") return { ...answered, state: "output-error", errorText: String(result) };
  return { ...answered, state: "output-available", output: result ?? null };
}

function approvalOf(callId: string, { approvals }: ThreadFacts): { approval?: object } {
  const known = approvals.get(callId);
  if (known === undefined) return {};
  const { question, approved, reason } = known;
  return { approval: { id: questionId(question), approved, ...(reason !== undefined && { reason }) } };
}

/**
 * Returns the field of a call with the payload of its approval, and the `seq` of the last other question that
 * it has asked. Every version of the AI SDK keeps the field, and sends it back with an answer.
 */
export function callMark(
  approval: ApprovalRecord | undefined,
  question: number | undefined,
): { callProviderMetadata?: object } {
  if (approval === undefined && question === undefined) return {};
  const pawl = {
    ...(approval && { approval: approval.payload }),
    ...(question !== undefined && { question }),
  };
  return { callProviderMetadata: { pawl } };
}

/** Returns the `seq` of the last question of a call that is not for an approval. */
export function lastAsked({ questions = [] }: ToolPart): number | undefined {
  return questions.findLast((question) => !isApproval(question))?.seq;
}

/**
 * Returns the outcome of a call that the user did not approve: denied, or closed without an answer. Returns
 * `undefined` for any other call.
 */
export function outcomeOf(
  callId: string,
  { approvals, closed }: ThreadFacts,
): "denied" | { error: string } | undefined {
  if (approvals.get(callId)?.approved === false) return "denied";
  const error = closed.get(callId);
  return error === undefined ? undefined : { error: `Not answered: ${error}` };
}

/**
 * Returns the input to show for a call that asks the user. For an approval, this is the input that will run.
 * For other questions, it is the question's payload.
 */
export function shownInput(question: Question, made: Json): Json {
  const { payload } = question;
  if (!isApproval(question)) return payload;
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return isObject ? (payload.input ?? made) : made;
}
