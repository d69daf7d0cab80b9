// What is left to do for sub-agents at the end of a run, and when that ends.
import { beforeEach, expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { agent, type Clock, type EventStore, type Hook, runtime, systemClock } from "../../../src/index.ts";
import { family, ofType, sessionId, task } from "../../support/family.ts";
import { allowFailedHooks } from "../../support/hooks.ts";
import { until, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";

beforeEach(allowFailedHooks);

const child = `${sessionId}:toolu_a`;
const script = [{ tools: task("toolu_a") }, { text: "Done." }];

it("P6 a run whose sub-agent has finished reads nothing more of it when it ends", async () => {
  const world = family(script, [{ text: "Found." }]);
  let isDone = false;
  let reads = 0;
  const counted = beforeAppend(world.base, (events) => {
    if (has(events, "tool_result")) isDone = true;
  });
  const get: EventStore["sessions"]["get"] = async (id) => {
    if (isDone && id === child) reads += 1;
    return await world.base.sessions.get(id);
  };
  const store = { ...counted, sessions: { ...counted.sessions, get } };
  const { stop } = await world.say(world.boot(store));
  expect([stop.type, isDone, reads]).toEqual(["end_turn", true, 0]);
});

it("L13 use of a sub-agent that is known only after its effect has ended is not stored behind what hooks were given", async () => {
  const late = Promise.withResolvers<void>();
  const seen: number[] = [];
  const slowly: Hook = {
    name: "slowly",
    afterRun: async ({ costUsd }) => {
      seen.push(costUsd);
      late.resolve();
      await settled();
    },
  };
  const slow = [
    { tools: [{ name: "look", input: { n: 1 } }] },
    { text: "word ".repeat(400), delayPerEventMs: 5 },
  ];
  const world = family(script, slow);
  const first = world.boot();
  await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
  await first.run("host", { ...user, sessionId, input: "Go" }).started;
  await until(() => world.callee.requests.length === 2);
  await first.drain({ timeoutMs: 0 });

  const store: EventStore = {
    ...world.base,
    async *read(id, options) {
      if (id === child && options?.types?.includes("llm_request")) await late.promise;
      yield* world.base.read(id, options);
    },
  };
  // Effects have 60 ms in place of 5,000.
  const clock: Clock = {
    ...systemClock,
    after: (ms, then, options) => systemClock.after(ms === 5_000 ? 60 : ms, then, options),
  };
  const { name, instructions, model } = world.host;
  const host = agent({ name, instructions, model, hooks: [slowly], version: "2" });
  await runtime({
    agents: [host],
    store,
    times: { abortGraceMs: 20, pollMs: 10 },
    testing: { clock },
  }).sweep();
  await until(async () => ofType(await world.log(), "run_ended").length > 0);
  const log = await world.log();
  expect(ofType(log, "effect_ended")).toMatchObject([
    { data: { name: "pawl.tasks", success: false } },
    { data: { name: "slowly", success: true } },
  ]);
  expect(ofType(log, "spending")).toEqual([]);
  const [end] = ofType(log, "run_ended") as { data: { cost_cents: number } }[];
  expect(seen).toEqual([expect.closeTo((end?.data.cost_cents ?? Number.NaN) / 100, 9)]);
});
