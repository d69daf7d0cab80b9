import type { StoredEvent } from "../log/event.ts";

/** A place in a log at which a view can begin. */
export interface ViewStart {
  /** `seq` of the first event to fold. */
  at: number;
  /** `seq` of the first `run_started` from there on. */
  run: number;
}

/**
 * Returns the places at which a view can begin, among consecutive events of a log. The messages of the view
 * from there are the last ones of the whole log's view. Each place begins a run: with its `run_started`, or
 * with a message that was stored before it. A retry continues its failed run, and a message that has waited
 * belongs to the run that reads it.
 *
 * Places that depend on events before the given ones are left out. So the list is empty if all events belong
 * to one run.
 */
export function viewStarts(events: readonly StoredEvent[]): ViewStart[] {
  const first = events[0]?.seq ?? 1;
  const standing: Standing = {
    idle: first === 1,
    readUpto: first === 1 ? 0 : undefined,
    lastQueued: 0,
    message: undefined,
  };
  const starts = events.flatMap((event) => {
    const at = startedAt(standing, event);
    note(standing, event, first);
    return at === undefined ? [] : [{ at, run: event.seq }];
  });
  // Nothing is before the first event of a log, whatever it is.
  return first === 1 ? [{ at: 1, run: starts[0]?.run ?? 1 }, ...starts.slice(1)] : starts;
}

/** What is known at an event. */
interface Standing {
  /** Whether no run is open. */
  idle: boolean;
  /** The model has read all messages up to this `seq`. `undefined` if that is not known. */
  readUpto: number | undefined;
  /** `seq` of the last message that had to wait. */
  lastQueued: number;
  /** `seq` of the first message since the last run ended, if a view can begin there. */
  message: number | undefined;
}

/** Returns where the view begins whose first run the event starts; `undefined` if none begins there. */
function startedAt(standing: Standing, event: StoredEvent): number | undefined {
  if (event.type !== "run_started" || event.data.retry_of !== undefined) return undefined;
  return standing.message ?? (isClean(standing) ? event.seq : undefined);
}

/** Returns whether nothing before can matter to what follows. */
function isClean({ idle, readUpto, lastQueued }: Standing): boolean {
  return idle && readUpto !== undefined && lastQueued <= readUpto;
}

function note(standing: Standing, event: StoredEvent, first: number): void {
  switch (event.type) {
    case "user_message":
      if (isClean(standing)) standing.message ??= event.seq;
      if (event.data.queued) standing.lastQueued = event.seq;
      return;
    case "llm_request": {
      const { upto_seq } = event.data.prompt;
      // Then the messages before the first event have been read, too.
      if (upto_seq >= first - 1) standing.readUpto = Math.max(upto_seq, standing.readUpto ?? 0);
      return;
    }
    case "run_started":
    case "run_ended":
      standing.idle = event.type === "run_ended";
      standing.message = undefined;
      return;
    default:
      // What is stored for a run that is over belongs to that run's message.
      if (CHANGES_RUN.includes(event.type)) standing.message = undefined;
  }
}

/** The types of events that change the last run's message, besides its requests. */
const CHANGES_RUN: readonly string[] = [
  "run_recovered",
  "run_suspended",
  "assistant_message",
  "output",
  "artifact",
  "tool_started",
  "tool_suspended",
  "tool_answered",
  "tool_result",
];
