import { type EventStore, memoryStore } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../test/support/crashing-store.ts";
import { initializer } from "../src/index.ts";
import { type Asked, choosing, initialized, someSources, worldOf } from "./support/world.ts";

const wishes = [
  { source: "workout_history", days_back: 30 },
  { source: "muscle_goals" },
  { source: "nothing" },
];

describe("an initializer whose process dies", () => {
  const points = [1, 2, 3, 4, 5, 6].flatMap((n) =>
    (["before", "after"] as const).map((when) => [when, n] as const),
  );
  it.each(points)(
    "I2 I3 %s append %i: nothing is stored twice, and nothing asked twice that is known",
    async (when, n) => {
      let clock = Date.UTC(2026, 10, 20);
      const base = memoryStore({ now: () => clock });
      const dying = crashingStore(base, n, when);
      const small = scriptedModel(() => choosing(...wishes));
      const asked: Asked = [];
      const hooks = () => [initializer({ model: small, sources: someSources(asked), onError: () => {} })];
      const old = worldOf({ hooks: hooks() }, { store: dying, onError: () => {} });
      const run = old.pawl.run("tester", { userId: "u1", input: "Hi", clientMessageId: "m1" });
      await run.result.catch(() => undefined);
      expect(dying.dead).toBe(true);
      const answered = await selections(base, "spending");
      clock += 60_000;

      const next = worldOf({ hooks: hooks() }, { store: base });
      await next.pawl.sweep();
      const { sessionId } = await next.say("Hi", await sessionOf(base));
      const log = await next.log(sessionId);
      const knowledge = await next.knowledge(sessionId);
      expect(knowledge.map(({ source }) => source)).toEqual(["workout_history", "muscle_goals"]);
      const mine = log.filter(({ type }) => type === "knowledge.selection");
      expect(mine).toHaveLength(1);
      expect(small.requests).toHaveLength(answered === 0 && n > 1 ? 2 : 1);
      // Only an answer that was not stored is asked for again; each stored one is charged once.
      const spendings = await next.of(sessionId, "spending");
      expect(spendings.filter(({ by }) => by === "initializer")).toHaveLength(1);
      expect(await next.of(sessionId, "run_ended")).toHaveLength(1);
    },
  );

  it("I3 does not ask again where asking had failed", async () => {
    let clock = Date.UTC(2026, 10, 20);
    const base = memoryStore({ now: () => clock });
    const dying = crashingStore(base, 4, "before");
    const small = scriptedModel(() => ({ text: "No." }));
    const hooks = [initializer({ model: small, sources: someSources(), onError: () => {} })];
    const old = worldOf({ hooks }, { store: dying, onError: () => {} });
    await old.pawl
      .run("tester", { userId: "u1", input: "Hi", clientMessageId: "m1" })
      .result.catch(() => undefined);
    expect(await selections(base, "knowledge.failed")).toBe(1);
    clock += 60_000;
    const next = worldOf({ hooks }, { store: base });
    await next.pawl.sweep();
    const { stop } = await next.say("Hi", await sessionOf(base));
    expect(stop.type).toBe("end_turn");
    expect(small.requests).toHaveLength(1);
  });

  it("I3 leaves a failing log to the run, and tells nobody that it was the initializer", async () => {
    const base = memoryStore();
    const world = initialized([choosing(...wishes)], {}, [
      {},
      { store: crashingStore(base, 2, "before"), onError: () => {} },
    ]);
    const run = world.pawl.run("tester", { userId: "u1", input: "Hi" });
    await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    expect(world.errors).toEqual([]);
  });
});

/** The same message in the same session, if that was stored. */
async function sessionOf(store: EventStore): Promise<{ sessionId?: string; clientMessageId: string }> {
  const [session] = await store.sessions.list({ userId: "u1" });
  return { ...(session && { sessionId: session.id }), clientMessageId: "m1" };
}

async function selections(store: EventStore, type = "knowledge.selection"): Promise<number> {
  const { sessionId } = await sessionOf(store);
  if (sessionId === undefined) return 0;
  return (await Array.fromAsync(store.read(sessionId))).filter((event) => event.type === type).length;
}
