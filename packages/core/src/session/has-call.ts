import type { SessionState } from "./state.ts";

/** Returns whether the session has a call with this id. */
export function hasCall({ calls, earlierCalls }: SessionState, id: string): boolean {
  return calls.has(id) || earlierCalls.includes(`\n${id}\n`);
}
