import { type Json, runMessageId, type Suspension, type ViewPart, type ViewState } from "@pawl/core";
import { isApproval } from "./answers.ts";
import { questionId } from "./question-id.ts";

type UiPart = { readonly type: string; readonly [field: string]: unknown };

/**
 * `{ id, messages }`: a session as `UIMessage`s, for `useChat({ id, messages })` after a reload. A message that is being
 * written is not among them, because `resume` tells it from its beginning.
 */
export function aiSdkMessages(view: ViewState, id: string): object {
  const writing = view.run?.open === true ? runMessageId(view.run) : undefined;
  const messages = view.messages
    .filter((message) => message.id !== writing)
    .map(({ id: name, role, parts }) => ({
      id: name,
      role,
      parts: role === "user" ? parts.flatMap(textPart) : assistantParts(parts, view.pending),
    }));
  return { id, messages };
}

function assistantParts(parts: readonly ViewPart[], pending: readonly Suspension[]): UiPart[] {
  let turn = "";
  return parts.flatMap((part): UiPart[] => {
    const shown = part.type === "tool" ? [toolPart(part, pending)] : textPart(part);
    const answer = part.key.slice(0, part.key.indexOf(":"));
    const isNew = shown.length > 0 && answer !== turn;
    if (isNew) turn = answer;
    return isNew ? [{ type: "step-start" }, ...shown] : shown;
  });
}

function textPart(part: ViewPart): UiPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text, state: "done" }];
  return part.type === "thinking" ? [{ type: "reasoning", text: part.text, state: "done" }] : [];
}

function toolPart(part: ViewPart & { type: "tool" }, pending: readonly Suspension[]): UiPart {
  const { callId: toolCallId, toolName, arguments: input, phase, result } = part;
  const call = { type: `tool-${toolName}`, toolCallId, input, providerExecuted: true };
  const question = pending.find(({ callId }) => callId === toolCallId);
  if (question !== undefined) {
    const shown = { ...call, input: shownInput(question, input) };
    if (!isApproval(question)) return { ...shown, state: "input-available", providerExecuted: false };
    const approval = { id: questionId(question.seq), descriptor: question.payload };
    return { ...shown, state: "approval-requested", approval };
  }
  if (phase === "error") return { ...call, state: "output-error", errorText: String(result) };
  if (phase === "done") return { ...call, state: "output-available", output: result ?? null };
  return { ...call, state: "input-available" };
}

/** What the user is asked about: of an approval, the input that will run. */
export function shownInput(question: Suspension, made: Json): Json {
  const { payload } = question;
  if (!isApproval(question)) return payload;
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return isObject ? (payload.input ?? made) : made;
}
