import type { StoredOf } from "../events/event.ts";
import type { ContextEntry, SessionState } from "../session/state.ts";
import { userEntry } from "./project.ts";

/**
 * Moves what waits, up to `uptoSeq`, into the context: results first, in the order of their calls, then the rest in
 * the order of the log. An event enters the context at the first request that covers it, so what arrived during a turn
 * follows the turn's results, and nothing that was sent ever moves.
 */
export function admit(state: SessionState, uptoSeq: number): void {
  state.entries.push(...incoming(state, uptoSeq));
  state.waiting = state.waiting.filter((event) => event.seq > uptoSeq);
}

/** What `admit` would add. */
export function incoming(state: SessionState, uptoSeq: number): ContextEntry[] {
  const ready = state.waiting.filter((event) => event.seq <= uptoSeq);
  const place = (event: StoredOf<"tool_result">) => state.calls.get(event.data.call_id)?.place ?? 0;
  const results = ready
    .filter((event): event is StoredOf<"tool_result"> => event.type === "tool_result")
    .sort((a, b) => place(a) - place(b));
  const rest = ready.filter((event) => event.type !== "tool_result");
  return [...results, ...rest].map(userEntry);
}
