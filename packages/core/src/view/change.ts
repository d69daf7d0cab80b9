import type { Delta } from "../log/store/live-event.ts";
import type { ToolPart } from "./question-part.ts";
import { runMessageId, withRunMessage } from "./run-message.ts";
import type { ViewMessage, ViewPart, ViewState } from "./view.ts";

/** Returns whether a part is still being written. */
export function isOpen(part: ViewPart): boolean {
  return "open" in part && part.open;
}

/**
 * Appends the new text of a delta to its part, or makes the part. Changes nothing if earlier text is missing.
 */
export function withDelta(
  parts: readonly ViewPart[],
  type: "text" | "thinking",
  delta: Delta,
): readonly ViewPart[] {
  const key = `${delta.attempt}:${delta.index}`;
  const index = parts.findLastIndex((part) => part.key === key);
  const existing = parts[index];
  const text = withNews((existing as { text?: string } | undefined)?.text ?? "", delta);
  // A part from the log is complete, so a late delta must not change it.
  const isComplete = existing !== undefined && !isOpen(existing);
  if (text === undefined || isComplete) return parts;
  const part: ViewPart = { type, key, text, open: true };
  return index < 0 ? [...parts, part] : parts.with(index, part);
}

/**
 * Returns the text with the new part of a delta. Returns `undefined` if the delta has no new text, or if text
 * before it is missing.
 */
export function withNews(before: string, { offset, text }: Delta): string | undefined {
  const addsText = offset <= before.length && offset + text.length > before.length;
  return addsText ? before + text.slice(before.length - offset) : undefined;
}

/**
 * Changes the parts of the current run's assistant message. `change` returns the same list to change nothing.
 * A missing message is added, unless `addsMissing` is false. Removes a message that has no parts left,
 * because clients that read only the log never had it.
 */
export function changeRunMessage(
  view: ViewState,
  change: (parts: readonly ViewPart[]) => readonly ViewPart[],
  addsMissing = true,
): ViewState {
  const id = runMessageId(view.run);
  const index = view.messages.findLastIndex((message) => message.id === id);
  const existing = view.messages[index];
  if (existing === undefined && !addsMissing) return view;
  const before = existing?.parts ?? [];
  const changed = change(before);
  const { role } = view.run ?? {};
  const parts = role ? changed.map((part, at) => (part === before[at] ? part : { role, ...part })) : changed;
  if (changed === before || (existing === undefined && parts.length === 0)) return view;
  if (parts.length === 0) return { ...view, messages: view.messages.toSpliced(index, 1) };
  // With `since`, the text after a queued message is a message of its own.
  const seq = view.run?.since ?? view.run?.seq ?? 0;
  const own = { id, role: "assistant", parts, seq, ...(view.run?.usage && { usage: view.run.usage }) };
  const message = Object.defineProperty(own, "text", LATE_TEXT) as ViewMessage;
  const messages =
    existing === undefined ? withRunMessage(view, message) : view.messages.with(index, message);
  return { ...view, messages };
}

// Joins the text only when it is read: otherwise, each delta would copy a long answer. All messages share
// this getter, so that the JavaScript engine gives them one hidden class.
export const LATE_TEXT: ThisType<ViewMessage> & PropertyDescriptor = {
  enumerable: true,
  get() {
    return joinedText(this.parts);
  },
};

type ViewToolChange = Partial<ToolPart>;

/**
 * Returns the text of a call's sub-agent after a delta, as a change of the part. A delta of another text
 * block replaces the text. The change is empty if text before the delta is missing.
 */
export function subAgentTextAfter(known: ToolPart["said"], delta: Delta): Pick<ToolPart, "said"> {
  const key = `${delta.attempt}:${delta.index}`;
  const text = withNews(known?.key === key ? known.text : "", delta);
  return text === undefined ? {} : { said: { key, text } };
}

/** Changes the part of one tool call. Does nothing if `accepts` returns `false` for the part. */
export function changeCallPart(
  view: ViewState,
  callId: string,
  change: ViewToolChange | ((part: ToolPart) => ViewToolChange),
  accepts: (part: ToolPart) => boolean = () => true,
): ViewState {
  return changeRunMessage(
    view,
    (parts) =>
      parts.map((part) => {
        if (part.type !== "tool" || part.callId !== callId || !accepts(part)) return part;
        // A result replaces progress and the sub-agent's text: neither is stored, so a reloaded page lacks
        // them.
        const { progress: _, said: __, ...rest } = part;
        const changed = typeof change === "function" ? change(part) : change;
        return { ...("result" in changed ? rest : part), ...changed };
      }),
    false,
  );
}

/**
 * Joins the text parts. Blocks of one answer are joined without a separator, different answers by a blank
 * line.
 */
export function joinedText(parts: readonly ViewPart[]): string {
  const answers = new Map<string, string>();
  for (const part of parts) {
    if (part.type !== "text") continue;
    const attempt = part.key.slice(0, part.key.indexOf(":"));
    answers.set(attempt, (answers.get(attempt) ?? "") + part.text);
  }
  return [...answers.values()]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}
