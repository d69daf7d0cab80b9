import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { userEntry } from "./project.ts";
import { hasOpenServerCalls, isPaused } from "./server-calls.ts";
import { withShortInputs } from "./shorten-input.ts";

/**
 * Moves what waits, up to `uptoSeq`, into the context. An event enters the context at the first request that
 * covers it and may carry it, so what arrived during a turn follows the turn's results, and nothing that was
 * sent ever moves.
 */
export function admit(state: SessionState, uptoSeq: number): void {
  const ready = new Set(readyFor(state, uptoSeq));
  extend(state.entries, state, [...ready]);
  state.unsent = state.unsent.filter((event) => !ready.has(event));
  state.kept.entries.clear();
}

/** The context as `admit` would leave it. */
export function admitted(state: SessionState, uptoSeq: number): ContextEntry[] {
  const entries = [...state.entries];
  extend(entries, state, readyFor(state, uptoSeq));
  return entries;
}

/**
 * What a request up to `uptoSeq` can carry. Nothing may follow an answer that the model has paused, and while
 * a tool of the API's own is at work nothing but results of our tools: the rest waits until the model is
 * through with it.
 */
function readyFor(state: SessionState, uptoSeq: number): StoredEvent[] {
  if (isPaused(state)) return [];
  const ready = state.unsent.filter((event) => event.seq <= uptoSeq);
  return hasOpenServerCalls(state.entries) ? ready.filter(({ type }) => type === "tool_result") : ready;
}

/**
 * Results first, in the order of their calls, then the rest in the order of the log. The answer that made the
 * calls is the last entry now and about to be sent for the first time: here its inputs take their final form.
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

/** What waits is made into entries for a request, and once it was made they are admitted: the same ones. */
function entryOf({ kept }: SessionState, event: StoredEvent): ContextEntry {
  const entry = kept.entries.get(event) ?? userEntry(event);
  kept.entries.set(event, entry);
  return entry;
}
