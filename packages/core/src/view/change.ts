import type { Delta } from "../log/live-event.ts";
import { runMessageId, withRunMessage } from "./run-message.ts";
import type { ViewMessage, ViewPart, ViewState } from "./view.ts";

/** Whether a part is still being written. */
export function isOpen(part: ViewPart): boolean {
  return "open" in part && part.open;
}

/** Adds a delta to the parts: the text in it that is new, or nothing if text before it is missing. */
export function withDelta(
  parts: readonly ViewPart[],
  type: "text" | "thinking",
  delta: Delta,
): readonly ViewPart[] {
  const key = `${delta.attempt}:${delta.index}`;
  const known = parts.find((part) => part.key === key);
  const grown = withNews(known !== undefined && "text" in known ? known.text : "", delta);
  // A part that is stored is complete.
  if (grown === undefined || (known !== undefined && !isOpen(known))) return parts;
  const part: ViewPart = { type, key, text: grown, open: true };
  return known === undefined
    ? [...parts, part]
    : parts.map((existing) => (existing === known ? part : existing));
}

/** Adds the new text of a delta; `undefined` if nothing is new, or text before it is missing. */
function withNews(before: string, { offset, text }: Delta): string | undefined {
  const isNews = offset <= before.length && offset + text.length > before.length;
  return isNews ? before + text.slice(before.length - offset) : undefined;
}

/**
 * Changes the parts of the open run's message. With `make`, begins the message if it does not exist yet.
 * Removes a message without parts, because clients that read only the log never had it.
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
  const message: ViewMessage = {
    id,
    role: "assistant",
    text: joinedText(parts),
    parts: [...parts],
    seq: view.run?.since ?? view.run?.seq ?? 0,
  };
  const messages = existing === undefined ? withRunMessage(view, message) : view.messages.with(at, message);
  return { ...view, messages };
}

type ToolPart = ViewPart & { type: "tool" };

type ViewToolChange = Partial<ToolPart>;

/**
 * Adds a delta to the text of a sub-agent's block. Another block replaces the shown one; a delta that would
 * leave a gap is ignored.
 */
export function saidAfter(known: ToolPart["said"], delta: Delta): Pick<ToolPart, "said"> {
  const key = `${delta.attempt}:${delta.index}`;
  const text = withNews(known?.key === key ? known.text : "", delta);
  return text === undefined ? {} : { said: { key, text } };
}

/** Changes the part of one call, if `isRight`. */
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
        // Progress is not stored, so it is not shown once there is a result.
        const { progress: _, said: __, ...rest } = part;
        const changed = typeof change === "function" ? change(part) : change;
        return { ...("result" in changed ? rest : part), ...changed };
      }),
    false,
  );
}

/**
 * Joins the text parts. Blocks of one answer follow each other directly; different answers are separate
 * paragraphs.
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
