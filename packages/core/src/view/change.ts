import type { Delta } from "../log/store/live-event.ts";
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
  const at = parts.findLastIndex((part) => part.key === key);
  const known = parts[at];
  const grown = withNews(known !== undefined && "text" in known ? known.text : "", delta);
  // A part from the log is complete, so a late delta must not change it.
  if (grown === undefined || (known !== undefined && !isOpen(known))) return parts;
  const part: ViewPart = { type, key, text: grown, open: true };
  return at < 0 ? [...parts, part] : parts.with(at, part);
}

/**
 * Appends the new text of a delta. Returns `undefined` if the delta has no new text, or earlier text is
 * missing.
 */
export function withNews(before: string, { offset, text }: Delta): string | undefined {
  const isNews = offset <= before.length && offset + text.length > before.length;
  return isNews ? before + text.slice(before.length - offset) : undefined;
}

/**
 * Changes the parts of the assistant message of the current run. With `make`, adds the message if it is
 * missing. A message without parts is removed, because clients that read only the log never had it.
 */
export function inAssistant(
  view: ViewState,
  change: (parts: readonly ViewPart[]) => readonly ViewPart[],
  make = true,
): ViewState {
  const id = runMessageId(view.run);
  const at = view.messages.findLastIndex((message) => message.id === id);
  const existing = view.messages[at];
  if (existing === undefined && !make) return view;
  const before = existing?.parts ?? [];
  const parts = change(before);
  if (parts === before || (existing === undefined && parts.length === 0)) return view;
  if (parts.length === 0) return { ...view, messages: view.messages.toSpliced(at, 1) };
  const seq = view.run?.since ?? view.run?.seq ?? 0;
  const own = { id, role: "assistant", parts, seq, ...(view.run?.usage && { usage: view.run.usage }) };
  const message = Object.defineProperty(own, "text", LATE_TEXT) as ViewMessage;
  const messages = existing === undefined ? withRunMessage(view, message) : view.messages.with(at, message);
  return { ...view, messages };
}

// Joined when it is read: each delta would copy the text of a long answer. One function for all messages:
// with one each, the engine would make a shape for each.
const LATE_TEXT: ThisType<ViewMessage> & PropertyDescriptor = {
  enumerable: true,
  get() {
    return joinedText(this.parts);
  },
};

type ToolPart = ViewPart & { type: "tool" };

type ViewToolChange = Partial<ToolPart>;

/**
 * Appends a delta to the text of a sub-agent that a call shows. A delta of another text block replaces that
 * text. Ignores a delta if earlier text is missing.
 */
export function saidAfter(known: ToolPart["said"], delta: Delta): Pick<ToolPart, "said"> {
  const key = `${delta.attempt}:${delta.index}`;
  const text = withNews(known?.key === key ? known.text : "", delta);
  return text === undefined ? {} : { said: { key, text } };
}

/** Changes the part of one tool call, if `isRight` accepts the part. */
export function inCall(
  view: ViewState,
  callId: string,
  change: ViewToolChange | ((part: ToolPart) => ViewToolChange),
  isRight: (part: ToolPart) => boolean = () => true,
): ViewState {
  return inAssistant(
    view,
    (parts) =>
      parts.map((part) => {
        if (part.type !== "tool" || part.callId !== callId || !isRight(part)) return part;
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
