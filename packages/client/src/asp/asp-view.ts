import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { AspEvent } from "./asp-event.ts";

/** A conversation, folded from events of ASP v2 by {@link reduceAsp}. Immutable. */
export interface AspView {
  /**
   * The conversation, oldest message first. A message's parts are in the order of their arrival: `text`,
   * `thinking` (its length is `text.length`, and `open` says whether it is being written), `tool` (with
   * `phase`, `arguments`, `input` and `result`), and `notice` if the run failed.
   */
  messages: ViewMessage[];
  /**
   * How far the turn is.
   *
   * - `none`: no event has arrived.
   * - `begun`: the server has acknowledged the request. The next part begins a message.
   * - `open`: the last message is being written.
   * - `paused`: calls wait for answers. The next `ack` continues the last message.
   * - `ended`: `message_stop` or `error` has arrived. All events up to the next `ack` are ignored.
   */
  turn: "none" | "begun" | "open" | "paused" | "ended";
  /** The stop reason of the last turn: that of `message_stop`, or `error`. `undefined` during a turn. */
  stopReason: string | undefined;
}

/**
 * Returns the view of a conversation without messages.
 *
 * @example
 * ```ts
 * import { newAspView } from "@pawl/client/asp";
 *
 * console.log(newAspView().messages.length); // 0
 * ```
 */
export function newAspView(): AspView {
  return { messages: [], turn: "none", stopReason: undefined };
}

/**
 * Applies one event to a view and returns the new view. Shares unchanged messages with the old view, which is
 * not modified. Returns the same view for an event that changes nothing: one of an unknown type, or one after
 * the turn's end.
 *
 * For pages that read the stream themselves, e.g. as React's `useReducer(reduceAsp, undefined, newAspView)`.
 *
 * @example
 * ```ts
 * import { type AspEvent, newAspView, reduceAsp } from "@pawl/client/asp";
 *
 * const events: AspEvent[] = [
 *   { type: "ack" },
 *   { type: "thinking", text: "They greet me." },
 *   { type: "text", text: "Hel" },
 *   { type: "text", text: "lo." },
 *   { type: "message_stop", stop_reason: "end_turn" },
 * ];
 * const { messages, stopReason } = events.reduce(reduceAsp, newAspView());
 * const [thinking] = messages[0]?.parts ?? [];
 * console.log(thinking?.type === "thinking" && thinking.text.length); // 14
 * console.log(messages[0]?.text, stopReason); // Hello. end_turn
 * ```
 */
export function reduceAsp(view: AspView, event: AspEvent): AspView {
  if (event.type === "ack") {
    const continues = view.turn === "paused" && view.messages.at(-1)?.role === "assistant";
    return { ...closed(view), turn: continues ? "open" : "begun", stopReason: undefined };
  }
  if (view.turn === "ended" || view.turn === "paused") return view;
  switch (event.type) {
    case "text":
    case "thinking":
      return written(view, event.type, event.text);
    case "tool":
      return called(view, event);
    case "tool_input":
      return withCall(view, event, { input: event.input });
    case "tool_result": {
      const { content: result, is_error, skipped } = event;
      const phase = skipped ? "skipped" : is_error ? "error" : "done";
      return withCall(view, event, { phase, result });
    }
    case "message_stop": {
      const { stop_reason: stopReason } = event;
      return stopReason === "tool_use" ? paused(view) : ended(view, stopReason);
    }
    case "error":
      return failed(view, event.message);
    default:
      return view;
  }
}

type PartOf<T extends ViewPart["type"]> = Extract<ViewPart, { type: T }>;

/** Returns whether a part is a call. */
export function isCall(part: ViewPart): part is PartOf<"tool"> {
  return part.type === "tool";
}

/** Changes the parts of the message that is being written. Begins one if necessary. */
function inMessage(
  { messages, ...view }: AspView,
  change: (parts: ViewPart[], id: string) => ViewPart[],
): AspView {
  const last = messages.at(-1);
  const isOpen = view.turn === "open" && last !== undefined;
  const message: ViewMessage = isOpen
    ? last
    : { id: `answer:${messages.length}`, role: "assistant", text: "", parts: [], seq: 0 };
  const changed = withParts(message, change(message.parts, message.id));
  return { ...view, turn: "open", messages: isOpen ? messages.with(-1, changed) : [...messages, changed] };
}

/** Replaces the parts of a message, and its text. */
export function withParts({ id, role, seq, usage }: ViewMessage, parts: ViewPart[]): ViewMessage {
  let text: string | undefined;
  return {
    id,
    role,
    // Joined when it is read: the text of a long answer would be copied for each of its pieces.
    get text() {
      text ??= parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
      return text;
    },
    parts,
    seq,
    ...(usage && { usage }),
  };
}

function written(view: AspView, type: "text" | "thinking", text: string): AspView {
  return inMessage(view, (parts, id) => {
    const last = parts.at(-1);
    if (last?.type === type && last.open) return parts.with(-1, { ...last, text: last.text + text });
    return [...parts.map(shut), { type, key: `${id}:${parts.length}`, text, open: true }];
  });
}

function called(view: AspView, event: AspEvent & { type: "tool" }): AspView {
  const { tool_use_id: callId, name: toolName, input } = event;
  return inMessage(view, (parts, id) => {
    if (parts.some((part) => isCall(part) && part.callId === callId)) return parts;
    const key = `${id}:${parts.length}`;
    const call = { type: "tool", key, callId, toolName, phase: "running", arguments: input } as const;
    return [...parts.map(shut), call];
  });
}

/** Changes the last call with that id. Changes nothing if the call is not shown. */
function withCall(
  view: AspView,
  { tool_use_id }: { tool_use_id: string },
  change: Partial<PartOf<"tool">>,
): AspView {
  const isIt = (part: ViewPart) => isCall(part) && part.callId === tool_use_id;
  const at = view.messages.findLastIndex(({ parts }) => parts.some(isIt));
  const message = view.messages[at];
  if (message === undefined) return view;
  const parts = message.parts.map((part) => (isIt(part) ? ({ ...part, ...change } as ViewPart) : part));
  return { ...view, messages: view.messages.with(at, withParts(message, parts)) };
}

/** Ends the stream, whose calls without a result wait for the client. */
function paused(view: AspView): AspView {
  const waiting = view.turn === "open" ? inMessage(view, (parts) => parts.map(asWaiting)) : view;
  return { ...closed(waiting), turn: "paused", stopReason: "tool_use" };
}

function asWaiting(part: ViewPart): ViewPart {
  return isCall(part) && part.phase === "running" ? { ...part, phase: "waiting" } : part;
}

function failed(view: AspView, text: string): AspView {
  const told = inMessage(view, (parts, id) => [
    ...parts,
    { type: "notice", key: `${id}:${parts.length}`, text, stop: "error" },
  ]);
  return ended(told, "error");
}

/** Ends the turn. A call without a result has failed: nothing more will arrive. */
function ended(view: AspView, stopReason: string): AspView {
  const settled = view.turn === "open" ? inMessage(view, (parts) => parts.map(asFailed)) : view;
  return { ...closed(settled), turn: "ended", stopReason };
}

function asFailed(part: ViewPart): ViewPart {
  return isCall(part) && part.phase === "running" ? { ...part, phase: "error" } : part;
}

/** Closes what is being written. */
export function closed(view: AspView): AspView {
  const last = view.messages.at(-1);
  if (last === undefined || !last.parts.some(isOpen)) return view;
  return { ...view, messages: view.messages.with(-1, { ...last, parts: last.parts.map(shut) }) };
}

function isOpen(part: ViewPart): boolean {
  return "open" in part && part.open;
}

function shut(part: ViewPart): ViewPart {
  return isOpen(part) ? ({ ...part, open: false } as ViewPart) : part;
}
