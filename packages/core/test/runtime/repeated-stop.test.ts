import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { never, setup, until, user } from "../support/setup.ts";
import { ask } from "../support/tools.ts";

it("B7 L9 stores one request to stop a run, however often and in how many processes it is stopped", async () => {
  const store = memoryStore();
  const { say, of, pawl } = setup([{ tools: [{ name: "ask", input: {} }] }], { tools: [ask] }, { store });
  const { sessionId } = await say("Go");
  const other = setup([], { tools: [ask] }, { store });
  const stops = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? pawl : other.pawl).stop(sessionId, user));
  await Promise.all(stops);
  for (let more = 0; more < 5; more += 1) await pawl.stop(sessionId, user);
  expect(await of(sessionId, "stop_requested")).toHaveLength(1);
  expect((await of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["aborted"]);
});

it("L9 P4 ends a run that was stopped before, in a process whose deps never come", async () => {
  const { say, of, store } = setup([{ tools: [{ name: "ask", input: {} }] }], { tools: [ask] });
  const { sessionId, runId } = await say("Go");
  // The process that stores the request dies before it ends the run.
  const stop = { type: "stop_requested", data: { run_id: runId } } as const;
  await store.append(sessionId, [stop], { appendId: "a dead process" });
  const { pawl } = setup([], { tools: [ask] }, { store, deps: never });
  void pawl.stop(sessionId, user);
  await until(async () => (await of(sessionId, "run_ended")).length === 1);
});
