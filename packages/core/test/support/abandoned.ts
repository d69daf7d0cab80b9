import type { EventStore } from "../../src/index.ts";

/**
 * Creates sessions with an open run that no process is working on, the oldest first. A run without a message
 * ends as an error as soon as it is resumed.
 */
export async function abandoned(store: EventStore, ids: readonly string[], agent = "tester"): Promise<void> {
  for (const id of ids) {
    await store.sessions.create({ id, userId: "u1", agent });
    const data = { run_id: "r", agent, agent_version: "1" };
    await store.append(id, [{ type: "run_started", data }], { appendId: "a", session: { openRun: "r" } });
  }
}

/** Names `count` sessions. */
export const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
