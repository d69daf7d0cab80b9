import { expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type EventStore, jsonSchema, memoryStore, tool } from "../../src/index.ts";
import { setup, until, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { endless } from "../support/when-busy.ts";

const who = (name: string) => ({ caller: { name }, credentials: { token: `tok_${name}_4f2c9a7e1b8d6053` } });
const [ada, ben, eve] = [who("ada"), who("ben"), who("eve")];

/** A session whose runs call one tool, which waits for `open[n]` in the run number `n`. */
function runs(store: EventStore) {
  const seen: unknown[] = [];
  const open = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const look = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_input, { caller, credentials }) => {
      seen.push({ caller, credentials });
      await open[seen.length - 1]?.promise;
    },
  });
  const call = { tools: [{ name: "look", input: {} }] };
  const options = { tools: [look], whenBusy: "queue" as const, limits: { turns: 1 } };
  const { pawl } = setup([call, call, call], options, { store });
  const say = (input: string, by: typeof ada, more: { sessionId?: string } = {}) =>
    pawl.run("tester", { ...user, input, ...by, ...more });
  return { seen, open, say };
}

it("F17 a message keeps its credentials if the process gets another lease while it is stored", async () => {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = beforeAppend(memoryStore(), async (events) => {
    if (!JSON.stringify(events).includes("Queued")) return;
    arrived.resolve();
    await go.promise;
  });
  const { seen, open, say } = runs(store);
  const first = say("Go", ada);
  const { sessionId } = await first.started;
  await until(() => seen.length === 1);
  const queued = say("Queued", ben, { sessionId });
  await arrived.promise;
  open[0]?.resolve();
  await first.result;
  await say("Other", eve, { sessionId }).started;
  await until(() => seen.length === 2);
  go.resolve();
  await queued.started;
  open[1]?.resolve();
  open[2]?.resolve();
  expect((await queued.result).stop.type).toBe("turn_limit");
  expect(seen).toEqual([ada, eve, ben]);
});

it("F17 the end of a lease does not take the credentials of the next lease's messages", async () => {
  const inner = memoryStore();
  const go = Promise.withResolvers<void>();
  const ended: unknown[] = [];
  // The first run's end is stored, and its lease is free, before its append returns.
  const store: EventStore = {
    ...inner,
    append: async (id, events, options) => {
      const rows = await inner.append(id, events, options);
      if (has(events, "run_ended") && ended.push(id) === 1) await go.promise;
      return rows;
    },
  };
  const { seen, open, say } = runs(store);
  const { sessionId } = await say("Go", ada).started;
  await until(() => seen.length === 1);
  open[0]?.resolve();
  await until(() => ended.length === 1);
  await say("Other", eve, { sessionId }).started;
  await until(() => seen.length === 2);
  go.resolve();
  await settled();
  const queued = say("Queued", ben, { sessionId });
  await queued.started;
  open[1]?.resolve();
  open[2]?.resolve();
  expect((await queued.result).stop.type).toBe("turn_limit");
  expect(seen).toEqual([ada, eve, ben]);
});

it("F17 two readers who bring the run's credentials at once continue it without an error", async () => {
  const base = memoryStore();
  const dead = setup([endless], {}, { store: base });
  const { sessionId } = await dead.pawl.run("tester", { ...user, input: "Go", ...ada }).started;
  await dead.pawl.drain({ timeoutMs: 0 });
  // Whether the answer was stored with the lease, or without it.
  const answers = new Set<boolean>();
  const both = Promise.withResolvers<void>();
  const store = beforeAppend(base, async (events, _, { lease }) => {
    if (!has(events, "tool_answered")) return;
    answers.add(lease !== undefined);
    if (answers.size === 2) both.resolve();
    await both.promise;
  });
  const errors: unknown[] = [];
  const boot = () => setup([{ text: "Done." }], {}, { store, onError: (error) => errors.push(error) });
  const sweeper = boot();
  await sweeper.pawl.sweep();
  await until(async () => (await sweeper.of(sessionId, "run_suspended")).length === 1);
  const read = async () => {
    for await (const { type } of boot().pawl.follow(sessionId, { resume: true, ...ada }))
      if (type === "run_ended") return;
  };
  await Promise.all([read(), read()]);
  await settled();
  expect({ answers: answers.size, errors }).toEqual({ answers: 2, errors: [] });
  expect(await sweeper.of(sessionId, "tool_answered")).toHaveLength(1);
});
