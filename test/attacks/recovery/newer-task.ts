import { agent, agentTool, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { changedEvents } from "../../support/changed-events.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "newer-task",
  title:
    "Processes of an older version end a stopped run whose sub-agent a newer one has worked on, and its task stays open for good",
  state: "open",
  attempt: async () => {
    const store = memoryStore();
    const user = { userId: "ada" };
    const pawl = boot(store);
    const { sessionId } = await pawl.run("host", { ...user, input: "Go" }).result;
    const child = `${sessionId}:t1`;
    const older = changedEvents(store, (event) =>
      event.sessionId === child ? { ...event, v: event.v + 1 } : event,
    );
    const first = boot(older);
    await first.stop(sessionId, user);
    await first.drain();
    // A run may crash three times. Leaving it to a process of the newer version is no crash.
    for (let sweeps = 0; sweeps < 6; sweeps += 1)
      await boot(older)
        .sweep({ wait: true })
        .catch(() => 0);
    const ended = (await store.sessions.get(sessionId))?.openRun === null;
    await boot(store).sweep({ wait: true });
    const isOpen = (await store.sessions.get(child))?.openRun !== null;
    return brokenIf(ended && isOpen, `ended by the older ones: ${ended}, the task is open: ${isOpen}`);
  },
};

/** A process with an agent whose sub-agent asks the user. */
function boot(store: ReturnType<typeof memoryStore>) {
  const ask = tool({
    name: "ask",
    description: "Asks.",
    input: jsonSchema({ type: "object" }),
    suspends: { answer: jsonSchema({}) },
  });
  const asking = scriptedModel([{ tools: [{ id: "q1", name: "ask", input: {} }] }]);
  const helper = agent({ name: "helper", instructions: "i", model: asking, tools: [ask] });
  const model = scriptedModel([{ tools: [{ id: "t1", name: "helper", input: { task: "Help." } }] }]);
  const tools = [agentTool({ agent: helper, description: "Helps." })];
  const host = agent({ name: "host", instructions: "i", model, tools });
  return runtime({
    agents: [host],
    store,
    onError: () => undefined,
    times: { pollMs: 10, storeRetryMs: [] },
  });
}
