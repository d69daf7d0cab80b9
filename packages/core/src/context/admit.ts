import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { hookTagsOf, ownTagsAt } from "./own-tags.ts";
import { userEntry } from "./project.ts";
import { hasOpenServerCalls, isPaused } from "./server-calls.ts";
import { withShortInputs } from "./shorten-input.ts";

/**
 * Moves waiting events up to `uptoSeq` into the context. An event enters the context with the first request
 * that can contain it, and keeps its place from then on. So events that arrived during a turn follow the
 * turn's results.
 */
export function admit(state: SessionState, uptoSeq: number): void {
  const ready = readyFor(state, uptoSeq);
  extend(state.entries, state, ready);
  state.unsent =
    ready.length === state.unsent.length ? [] : state.unsent.filter((one) => !ready.includes(one));
  state.kept.entries.clear();
}

/** Returns the context as it would be after `admit`. */
export function admitted(state: SessionState, uptoSeq: number): ContextEntry[] {
  const entries = [...state.entries];
  extend(entries, state, readyFor(state, uptoSeq));
  return entries;
}

/**
 * Returns the waiting events up to `uptoSeq` that a request can contain. Returns none while the model's
 * answer is paused, and only results of the agent's own tools while a tool runs on the API's side.
 */
function readyFor(state: SessionState, uptoSeq: number): StoredEvent[] {
  if (isPaused(state)) return [];
  const ready = state.unsent.filter((event) => event.seq <= uptoSeq);
  return hasOpenServerCalls(state.entries) ? ready.filter(answersCall) : ready;
}

/** Returns whether the event answers a call of the model. */
function answersCall(event: StoredEvent): event is StoredOf<"tool_result" | "output"> {
  return event.type === "tool_result" || (event.type === "output" && event.data.call_id !== undefined);
}

/**
 * Appends results in the order of their calls, then the other events in the order of the log. The answer that
 * made the calls is the last entry. It is about to be sent for the first time, so the calls' inputs get their
 * final form here.
 */
function extend(entries: ContextEntry[], state: SessionState, ready: readonly StoredEvent[]): void {
  const answer = entries.at(-1);
  const results = inOrderOfCalls(ready.filter(answersCall), answer);
  if (answer?.role === "assistant" && results.length > 0) {
    const ofTools = results.filter((event) => event.type === "tool_result");
    entries[entries.length - 1] = withShortInputs(answer, ofTools);
  }
  for (const event of results) entries.push(entryOf(state, event));
  if (results.length === ready.length) return;
  for (const event of ready) if (!answersCall(event)) entries.push(entryOf(state, event));
}

function inOrderOfCalls<E extends StoredOf<"tool_result" | "output">>(
  results: readonly E[],
  answer: ContextEntry | undefined,
): readonly E[] {
  if (results.length < 2 || answer === undefined) return results;
  const ids = answer.blocks.map(({ id }) => id);
  const place = ({ data }: E) => ids.indexOf(data.call_id);
  return results.toSorted((a, b) => place(a) - place(b));
}

/**
 * Returns the entry of an event. Keeps the entry, so that a request and the later state share the same
 * object.
 */
function entryOf(state: SessionState, event: StoredEvent): ContextEntry {
  const { kept } = state;
  const known = kept.entries.get(event);
  if (known !== undefined) return known;
  const entry = userEntry(event, ownTagsAt(state, event.seq), hookTagsOf(state));
  kept.entries.set(event, entry);
  return entry;
}
