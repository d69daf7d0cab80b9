import { givingWay } from "../base/next-turn.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import type { Question } from "../session/run-result.ts";
import { userMessageId } from "./messages.ts";
import { nameOfCall, redactedNames, type WantedParts } from "./part-list.ts";
import type { ToolPart } from "./question-part.ts";
import { reduceView } from "./reduce.ts";
import { runMessageId } from "./run-message.ts";
import type { ShownMessage, Slot } from "./slot.ts";
import { MessageSlots } from "./slots.ts";
import { newView, type ViewRun, type ViewState } from "./view.ts";
import { calledIn, wantedParts } from "./wanted.ts";

/** A view that takes many events, see {@link viewFold}. */
export interface ViewFold {
  /** The run in progress, or else the last run. `undefined` before the first run. */
  readonly run: ViewRun | undefined;
  /** The open questions to the user. */
  readonly pending: readonly Question[];
  /**
   * Returns the part of a call, or of a hook's question, in the message that the run is writing or has
   * written last. `undefined` if that message has no such part.
   */
  call(callId: string): ToolPart | undefined;
  /** Adds one event. */
  add(event: SessionEvent): void;
  /**
   * Adds events. Gives way to the event loop after every 500 of them.
   *
   * @param onAdded called after each event
   */
  addEvents(
    events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
    onAdded?: (event: SessionEvent) => void,
  ): Promise<void>;
  /** Returns the view after the events so far. Visits all messages, so do not call it for each event. */
  view(): ViewState;
}

/**
 * Folds the events of a session into a view, as `reduceView` does for one event. Takes time in proportion to
 * the number of events, and gives way to the event loop after every 500 of them.
 *
 * @param start the view before the events. Default: the view of a session without events
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { foldView } from "@pawl/core/view";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "a1" });
 *
 * const { messages, cursor } = await foldView(store.read("s1"));
 * console.log(messages[0]?.text, cursor); // Hi 1
 * ```
 */
export async function foldView(
  events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  start?: ViewState,
): Promise<ViewState> {
  const fold = viewFold(start);
  await fold.addEvents(events);
  return fold.view();
}

/**
 * Returns a view that takes many events, for loops that also do something else with each event. Each event
 * changes the view as `reduceView` does, at a cost that does not grow with the session.
 *
 * @param start the view before the events. Default: the view of a session without events
 *
 * @example
 * ```ts
 * import { viewFold } from "@pawl/core/view";
 *
 * const fold = viewFold();
 * fold.add({ type: "text_delta", data: { attempt: 3, index: 0, offset: 0, text: "Hi" } });
 * console.log(fold.view().messages[0]?.text); // Hi
 * ```
 */
// `reduceView` copies the list of messages, and the parts of the message that it changes, so folding n events
// with it takes n² steps. This fold shows it only what an event may change, and puts the result back.
export function viewFold(start: ViewState = newView()): ViewFold {
  return foldBy(reduceView, start);
}

/** Folds events by `reduce`. */
// Only tests give another function than `reduceView`: one that counts what it is shown.
export function foldBy(reduce: typeof reduceView, start: ViewState): ViewFold {
  const slots = new MessageSlots(start.messages);
  const pending = new Map(start.pending.map(withCall));
  const running = new Map(Object.entries(start.runningTools));
  // Its lists are empty: they are in the maps, and an event gets what it may change.
  let view: ViewState = { ...start, ...EMPTY };

  const add = (event: SessionEvent): void => {
    if ("seq" in event && event.seq <= view.cursor) return;
    const shown = shownTo(event, slots, view.run);
    const callId = calledIn(event);
    const before: ViewState = {
      ...view,
      messages: shown.map(({ message }) => message),
      pending: entryOfCall(pending, callId).map(([, question]) => question),
      runningTools: Object.fromEntries(entryOfCall(running, callId)),
    };
    const after = reduce(before, event);
    if (after.messages !== before.messages) slots.take(shown, after.messages);
    if (after.pending !== before.pending) {
      // A question that is asked again moves to the end.
      pending.delete(callId ?? "");
      takeEntries(pending, callId, after.pending.map(withCall));
    }
    if (after.runningTools !== before.runningTools)
      takeEntries(running, callId, Object.entries(after.runningTools));
    view = { ...after, ...EMPTY };
  };
  return {
    get run() {
      return view.run;
    },
    get pending() {
      return [...pending.values()];
    },
    call: (callId) => {
      const shown = slots.withId(runMessageId(view.run))?.show([nameOfCall(callId)]);
      return shown?.message.parts.findLast(
        (part): part is ToolPart => part.type === "tool" && part.callId === callId,
      );
    },
    add,
    addEvents: async (events, onAdded) => {
      for await (const event of givingWay(events)) {
        add(event);
        onAdded?.(event);
      }
    },
    view: () => ({
      ...view,
      messages: slots.all(),
      pending: [...pending.values()],
      runningTools: Object.fromEntries(running),
    }),
  };
}

const EMPTY = { messages: [], pending: [], runningTools: {} };

function withCall(question: Question): [string, Question] {
  return [question.callId, question];
}

/** Returns what is known of the event's call, in a list. */
function entryOfCall<T>(known: ReadonlyMap<string, T>, callId: string | undefined): [string, T][] {
  const value = callId === undefined ? undefined : known.get(callId);
  return callId === undefined || value === undefined ? [] : [[callId, value]];
}

/** Takes what an event has made of its call, or of all calls if it is about none. */
function takeEntries<T>(
  known: Map<string, T>,
  callId: string | undefined,
  changed: readonly [string, T][],
): void {
  if (callId === undefined) known.clear();
  else if (changed.length === 0) known.delete(callId);
  for (const [id, value] of changed) known.set(id, value);
}

/** Returns the messages that an event may change, with the parts that it may change. */
function shownTo(event: SessionEvent, slots: MessageSlots, run: ViewRun | undefined): ShownMessage[] {
  if (event.type === "user_message") return shownOf([slots.withId(userMessageId(event))], []);
  if (event.type === "redaction") return shownOf(slots.redactedBy(event), redactedNames(event.data));
  const wanted = wantedParts(event);
  const isStart = event.type === "run_started" && event.data.retry_of === undefined;
  if (isStart) return shownOf(slots.queuedUpTo(event.seq), []);
  if (wanted === undefined) return [];
  const own = slots.withId(runMessageId(run));
  // A new message of the run is inserted before the first one that was queued during the run.
  const next = slots.firstQueuedAfter(run?.seq ?? 0, own);
  const read = event.type === "llm_request" ? slots.queuedUpTo(event.data.prompt.upto_seq) : [];
  const others = new Set([next, ...read]);
  if (own === undefined) return shownOf(others, wanted);
  others.delete(own);
  return [...shownOf([own], wanted), slots.behind, ...shownOf(others, wanted)];
}

function shownOf(slots: Iterable<Slot | undefined>, wanted: WantedParts): ShownMessage[] {
  return [...slots].flatMap((slot) => slot?.show(wanted) ?? []);
}
