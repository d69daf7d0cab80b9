import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { hookTagsOf, ownTagsAt } from "./own-tags.ts";
import { userEntry } from "./project.ts";
import { hasOpenServerCalls, isPaused } from "./server-calls.ts";
import { withShortInputs } from "./shorten-input.ts";

/**
 * Moves the events of `state.unsent` up to `uptoSeq` into the context. An event enters the context with the
 * first request that can contain it, and keeps its place from then on. So events that arrived during a turn
 * follow the turn's results.
 */
export function admit(state: SessionState, uptoSeq: number): void {
  const sendable = sendableEvents(state, uptoSeq);
  appendEntries(state.entries, state, sendable);
  state.unsent =
    sendable.length === state.unsent.length ? [] : state.unsent.filter((event) => !sendable.includes(event));
  state.kept.entries.clear();
}

/** Returns the context as it would be after `admit`. */
export function admitted(state: SessionState, uptoSeq: number): ContextEntry[] {
  const entries = [...state.entries];
  appendEntries(entries, state, sendableEvents(state, uptoSeq));
  return entries;
}

/**
 * Returns the unsent events up to `uptoSeq` that a request can contain. Returns none while the model's answer
 * is paused. While one of the API's own tools runs, returns only results of the agent's tools.
 */
function sendableEvents(state: SessionState, uptoSeq: number): StoredEvent[] {
  if (isPaused(state)) return [];
  const events = state.unsent.filter((event) => event.seq <= uptoSeq);
  return hasOpenServerCalls(state.entries) ? events.filter(answersCall) : events;
}

/**
 * Returns whether the event is the result of a call of the model. An `output` with a `call_id` is the result
 * of a call of `final_answer`.
 */
function answersCall(event: StoredEvent): event is StoredOf<"tool_result" | "output"> {
  return event.type === "tool_result" || (event.type === "output" && event.data.call_id !== undefined);
}

/**
 * Appends the results in the order of their calls, then the other events in the order of the log. The model's
 * answer with these calls is the last entry. It is about to be sent for the first time, so the calls' inputs
 * get their final form here.
 */
function appendEntries(entries: ContextEntry[], state: SessionState, events: readonly StoredEvent[]): void {
  const answer = entries.at(-1);
  const results = inOrderOfCalls(events.filter(answersCall), answer);
  if (answer?.role === "assistant" && results.length > 0) {
    const toolResults = results.filter((event) => event.type === "tool_result");
    entries[entries.length - 1] = withShortInputs(answer, toolResults);
  }
  for (const event of results) entries.push(entryOf(state, event));
  if (results.length === events.length) return;
  for (const event of events) if (!answersCall(event)) entries.push(entryOf(state, event));
}

/** Sorts results by the position of their calls in the model's answer. */
function inOrderOfCalls<E extends StoredOf<"tool_result" | "output">>(
  results: readonly E[],
  answer: ContextEntry | undefined,
): readonly E[] {
  if (results.length < 2 || answer === undefined) return results;
  const ids: unknown[] = answer.blocks.map(({ id }) => id);
  const callIndex = ({ data }: E) => ids.indexOf(data.call_id);
  return results.toSorted((a, b) => callIndex(a) - callIndex(b));
}

/**
 * Returns the context entry for an event. Caches the entry, so that a request and the later state share one
 * object.
 */
function entryOf(state: SessionState, event: StoredEvent): ContextEntry {
  const { kept } = state;
  const cached = kept.entries.get(event);
  if (cached !== undefined) return cached;
  const entry = userEntry(event, ownTagsAt(state, event.seq), hookTagsOf(state));
  kept.entries.set(event, entry);
  return entry;
}
