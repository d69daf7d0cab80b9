import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { userEntry } from "./project.ts";
import { hasOpenServerCalls, isPaused } from "./server-calls.ts";
import { withShortInputs } from "./shorten-input.ts";

/**
 * Moves waiting events up to `uptoSeq` into the context. An event enters the context with the first request
 * that covers it and may carry it. So events that arrived during a turn follow the turn's results, and
 * nothing that was sent ever moves.
 */
export function admit(state: SessionState, uptoSeq: number): void {
  const ready = new Set(readyFor(state, uptoSeq));
  extend(state.entries, state, [...ready]);
  state.unsent = state.unsent.filter((event) => !ready.has(event));
  state.kept.entries.clear();
}

/** Returns the context as `admit` would leave it. */
export function admitted(state: SessionState, uptoSeq: number): ContextEntry[] {
  const entries = [...state.entries];
  extend(entries, state, readyFor(state, uptoSeq));
  return entries;
}

/**
 * Returns the events that a request up to `uptoSeq` can carry. After an answer that the model has paused:
 * none. While a tool of the API's own is running: only results of our tools; the other events wait until it
 * has finished.
 */
function readyFor(state: SessionState, uptoSeq: number): StoredEvent[] {
  if (isPaused(state)) return [];
  const ready = state.unsent.filter((event) => event.seq <= uptoSeq);
  return hasOpenServerCalls(state.entries) ? ready.filter(({ type }) => type === "tool_result") : ready;
}

/**
 * Appends results in the order of their calls, then the other events in the order of the log. The answer that
 * made the calls is the last entry and about to be sent for the first time, so its inputs get their final
 * form here.
 */
function extend(entries: ContextEntry[], state: SessionState, ready: readonly StoredEvent[]): void {
  const place = (event: StoredOf<"tool_result">) => state.calls.get(event.data.call_id)?.place ?? 0;
  const results = ready
    .filter((event): event is StoredOf<"tool_result"> => event.type === "tool_result")
    .sort((a, b) => place(a) - place(b));
  const answer = entries.at(-1);
  if (answer?.role === "assistant") entries[entries.length - 1] = withShortInputs(answer, results);
  const rest = ready.filter((event) => event.type !== "tool_result");
  for (const event of [...results, ...rest]) entries.push(entryOf(state, event));
}

/** Makes entries for a request and keeps them, so that the same objects are admitted once it was made. */
function entryOf({ kept }: SessionState, event: StoredEvent): ContextEntry {
  const entry = kept.entries.get(event) ?? userEntry(event);
  kept.entries.set(event, entry);
  return entry;
}
