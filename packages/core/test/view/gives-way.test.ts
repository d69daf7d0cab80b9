import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { countedTurns, longRun } from "../../../../test/support/turns.ts";
import { agent, readShown, runtime } from "../../src/index.ts";
import { foldView, viewPage } from "../../src/view.ts";

const CALLS = 1_500;

async function counted() {
  const { store, most } = countedTurns();
  await store.sessions.create({ id: "s", userId: "u1", agent: "coach" });
  const lastSeq = (await store.append("s", longRun(CALLS), { appendId: "1" })).length;
  const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." });
  return { store, most, pawl: runtime({ agents: [coach], store }), session: { id: "s", lastSeq } };
}

type Counted = Awaited<ReturnType<typeof counted>>;

it.each<[string, (at: Counted) => Promise<unknown>]>([
  ["view()", ({ pawl }) => pawl.view("s", { userId: "u1" })],
  ["fork()", ({ pawl }) => pawl.fork("s", { userId: "u1" })],
  ["foldView()", ({ store }) => foldView(store.read("s"))],
  ["readShown()", ({ store }) => Array.fromAsync(readShown(store, "s"))],
  ["viewPage()", ({ store, session }) => viewPage(store, session, { last: 1 })],
])("B8 %s gives way to the event loop after 500 events of a store that never waits", async (_, read) => {
  const at = await counted();
  const { most } = await at.most(() => read(at));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(1_500);
});

it("B8 a fold gives way also where nothing but timers can call later", async () => {
  const { store, most } = await counted();
  vi.stubGlobal("setImmediate", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const counts = await most(() => foldView(store.read("s")));
  expect(counts.result.messages.at(-1)?.parts).toHaveLength(CALLS);
  expect(counts.most).toBeLessThanOrEqual(1_500);
});

it("B8 two folds of long sessions go on side by side", async () => {
  const { store } = await counted();
  const order: string[] = [];
  const fold = async (name: string) => {
    const events = async function* () {
      for await (const event of store.read("s")) {
        if (event.seq % 1_000 === 0) order.push(name);
        yield event;
      }
    };
    await foldView(events());
  };
  await Promise.all([fold("a"), fold("b")]);
  expect(order.join("")).toMatch(/^(ab|ba)+$/);
});
