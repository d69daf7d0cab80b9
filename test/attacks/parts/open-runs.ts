import { setImmediate } from "node:timers/promises";
import { type Agent, agent, type EventStore } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";

/** An agent that answers each run once. `onAsked` is called before each answer. */
export function answeringAgent(onAsked: () => void | Promise<void> = () => undefined): Agent {
  const model = scriptedModel(async () => {
    await onAsked();
    return { text: "Done." };
  });
  return agent({ name: "a", instructions: "i", model });
}

/** Stores `count` runs of {@link answeringAgent} that a process has begun and left, of 40 users. */
export async function storeOpenRuns(store: EventStore, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    // Over SQLite, awaiting the store lets nothing else of this process run.
    if (at % 20 === 0) await setImmediate();
    const id = `session ${at}`;
    await store.sessions.create({ id, userId: `u${at % 40}`, agent: "a" });
    await store.append(
      id,
      [
        { type: "run_started", data: { run_id: "r", agent: "a", agent_version: "1" } },
        { type: "prefix", data: { prefix_id: "p", system: [{ type: "text", text: "i" }], tools: [] } },
        { type: "user_message", data: { message: "Go" } },
      ],
      { appendId: "begin", session: { openRun: "r" } },
    );
  }
}
