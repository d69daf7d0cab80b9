import { expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { type EventStore, memoryStore, tool } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { never, setup, user } from "../support/setup.ts";
import { beforeAppend, failingStore, has } from "../support/stores.ts";
import { ask, nothing, question } from "../support/tools.ts";

/** A store that takes as long for each append as one behind a network. */
const behindNetwork = (store: EventStore) =>
  beforeAppend(store, async () => await pause(3, "the time of a store behind a network"));

/** A session whose run waits for an answer. */
async function waiting(options: Parameters<typeof setup>[1] = {}, store: EventStore = memoryStore()) {
  const world = setup([{ tools: [question] }], { tools: [ask], ...options }, { store });
  const { sessionId } = await world.say("Ask me.");
  const shown = async () => (await world.pawl.view(sessionId, user)).messages.at(-1)?.parts[0];
  return { ...world, sessionId, shown };
}

const STOPPED = { phase: "skipped", questions: [{ state: "stopped" }] };

it.each([
  ["memory", (store: EventStore) => store],
  ["a store behind a network", behindNetwork],
])("L9 `stop()` of a run that waits resolves when a view shows the end, over %s", async (_, over) => {
  for (let time = 0; time < 20; time += 1) {
    const { pawl, sessionId, shown } = await waiting({}, over(memoryStore()));
    await pawl.stop(sessionId, user);
    expect(await shown()).toMatchObject(STOPPED);
  }
});

it("L9 so does a second `stop()` of the same process at the same time", async () => {
  const { pawl, sessionId, shown } = await waiting({}, behindNetwork(memoryStore()));
  const stops = [pawl.stop(sessionId, user), pawl.stop(sessionId, user)];
  expect(await Promise.all(stops.map((stop) => stop.then(shown)))).toMatchObject([STOPPED, STOPPED]);
});

it("L9 it resolves after the `afterRun` hooks", async () => {
  const order: string[] = [];
  const slow = async () => {
    await pause(10, "the work of the hook");
    order.push("hook");
  };
  const { pawl, sessionId } = await waiting({ hooks: [{ name: "slow", afterRun: slow }] });
  await pawl.stop(sessionId, user).then(() => order.push("stop"));
  expect(order).toEqual(["hook", "stop"]);
});

it("L9 it rejects if the end cannot be stored, and the request stays", async () => {
  let down = false;
  const store = failingStore(memoryStore(), (events) => down && !has(events, "stop_requested"));
  const { pawl, sessionId, of } = await waiting({}, store);
  down = true;
  await expect(pawl.stop(sessionId, user)).rejects.toSatisfy(code("store_unavailable"));
  down = false;
  await pawl.stop(sessionId, user);
  expect((await of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["aborted"]);
});

it("L9 it does not wait for a tool that hangs", async () => {
  const started = Promise.withResolvers<void>();
  const hang = tool({
    name: "hang",
    description: "",
    input: nothing,
    execute: () => {
      started.resolve();
      return never();
    },
  });
  const { pawl, of } = setup(
    [{ tools: [{ name: "hang" }] }],
    { tools: [hang] },
    { times: { abortGraceMs: 50 } },
  );
  const run = pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  await started.promise;
  await pawl.stop(sessionId, user);
  expect(await of(sessionId, "stop_requested")).toHaveLength(1);
  expect(await of(sessionId, "run_ended")).toEqual([]);
  expect((await run.result).stop.type).toBe("aborted");
});
