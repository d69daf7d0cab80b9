import type { Json } from "@pawl/core";
import { outputIn, runMessageId, type ViewMessage, type ViewPart, type ViewState } from "@pawl/core/view";
import type { ThreadFacts } from "../base/facts.ts";
import { answerOf, isOutcome } from "../base/outcomes.ts";
import { acceptedJson } from "./ai-sdk-json.ts";
import { citationsField, citedParts, eachSourceOnce, outcomeUiPart } from "./ai-sdk-sources.ts";
import { toolPart } from "./ai-sdk-tool-part.ts";
import type { UiPart } from "./ui-part.ts";

/** A message of the AI SDK. */
export interface UiMessage {
  id: string;
  role: "user" | "assistant";
  parts: UiPart[];
  metadata: object;
}

/** The response of `GET /runs/:id`. */
export interface AiSdkHistory {
  id: string;
  messages: UiMessage[];
  /** Whether a run is in progress, so that the stream has more. */
  running: boolean;
}

/**
 * Returns a session as `{ id, messages, running }` for `useChat({ id, messages })` after a page reload. Of a
 * message in progress, only the stored parts are included; `resume` streams the message again from its
 * beginning.
 */
export function aiSdkMessages(
  view: ViewState,
  id: string,
  facts: ThreadFacts,
  inProgress: "show" | "hide" = "show",
): AiSdkHistory {
  const running = view.run?.open === true;
  const written = running ? runMessageId(view.run) : undefined;
  const all = inProgress === "hide" ? view.messages.filter((one) => one.id !== written) : withPlace(view);
  const messages = all.flatMap((message): UiMessage[] => {
    const { id: name, role } = message;
    const parts = role === "user" ? message.parts.flatMap(textPart) : assistantParts(message, facts);
    if (role === "assistant" && parts.length === 0 && name !== written) return [];
    const metadata = { ...begunOf(facts, name), ...spentOf(facts, name) };
    return [{ id: name, role, parts, metadata }];
  });
  return acceptedJson({ id, messages, running });
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

/** Returns when a message was sent or begun, as its metadata; `undefined` if that is not known. */
export function begunOf({ begun }: ThreadFacts, id: string): { createdAt: string } | undefined {
  const createdAt = begun.get(id);
  return createdAt === undefined ? undefined : { createdAt };
}

/** Returns a message's model, usage and cost in the AI SDK's format; `undefined` without usage. */
export function spentOf({ spent }: ThreadFacts, id: string): object | undefined {
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
export function assistantParts({ parts }: Pick<ViewMessage, "parts">, facts: ThreadFacts): UiPart[] {
  let turn = "";
  const once = eachSourceOnce();
  const shownParts = (part: ViewPart): UiPart[] => {
    if (isOutcome(part)) return [outcomeUiPart(part)];
    const shown = partsOf(part, facts);
    const isOfAnswer = part.type !== "notice" && part.type !== "output";
    const isNew = shown.length > 0 && isOfAnswer && answerOf(part) !== turn;
    if (isNew) turn = answerOf(part);
    return isNew ? [{ type: "step-start" }, ...roleParts(part.role), ...shown] : shown;
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

/** Returns the part that says which role of the agent speaks in a step; none for an agent without roles. */
export function roleParts(role: string | undefined): UiPart[] {
  return role === undefined ? [] : [{ type: "data-role", data: { role } }];
}

function partsOf(part: ViewPart, facts: ThreadFacts): UiPart[] {
  if (part.type === "tool") return [toolPart(part)];
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
