import { type EventStore, memoryStore, type StoredEvent } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { recordOf } from "../src/index.ts";
import { dyingAt } from "./support/dying.ts";
import { storyWorld, timeless } from "./support/story.ts";
import { plans, worldOf } from "./support/world.ts";

const message = "What does Alex say about Q4?";

/** Tells the story to its end, or to the process's death. */
async function tell(store: EventStore): Promise<void> {
  const world = storyWorld(store);
  const [session] = await store.sessions.list({ userId: "u1" });
  await world.pawl.sweep();
  let result = await world.say(message, { clientMessageId: "m1", ...(session && { sessionId: session.id }) });
  if (result.stop.type === "suspended") result = await world.answer(result, { choice: "u-17" });
  expect(result.stop.type).toBe("end_turn");
}

async function logOf(store: EventStore) {
  const [session] = await store.sessions.list({ userId: "u1" });
  return await Array.fromAsync(store.read(session?.id ?? ""));
}

describe("the story of the two Alexes", () => {
  it("M1 M2 M3 M5 a crash at every append changes nothing but time", async () => {
    let appends = 0;
    const counted = memoryStore();
    await tell({
      ...counted,
      append: async (...args) => {
        appends += 1;
        return await counted.append(...args);
      },
    });
    const expected = timeless(recordOf(await logOf(counted)));
    const spent = (log: StoredEvent[]) => log.filter(({ type }) => type === "spending").length;
    const spendings = spent(await logOf(counted));
    expect(spendings).toBe(4);
    const types = (await logOf(counted))
      .map(({ type }) => type)
      .filter((type) => type.startsWith("planning."));
    expect(appends).toBeGreaterThan(25);

    for (let n = 1; n <= appends; n += 1) {
      for (const when of ["before", "after"] as const) {
        let clock = Date.UTC(2026, 10, 20);
        const base = memoryStore({ now: () => clock });
        const dying = dyingAt(base, n, when);
        await tell(dying.store).catch(() => undefined);
        expect(dying.isDead()).toBe(true);
        clock += 600_000;
        await tell(base);
        const log = await logOf(base);
        const where = `${when} append ${n}`;
        expect([where, timeless(recordOf(log))]).toEqual([where, expected]);
        expect([where, log.map(({ type }) => type).filter((type) => type.startsWith("planning."))]).toEqual([
          where,
          types,
        ]);
        expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
        // What a model has answered is paid once. Answers that no event has got are not charged here.
        expect([where, spent(log.filter(({ data }) => Object(data).by === "planning"))]).toEqual([
          where,
          spendings,
        ]);
      }
    }
  });

  it("M6 the retrieved text and the last answer stay the same after a crash", async () => {
    let said = 0;
    const tellEnd = async (store: EventStore, blocked: boolean) => {
      const world = worldOf(
        {
          small: () => (blocked ? plans({ status: "blocked", blocked: "No access." }) : plans()),
          main: (answers) => ({ tools: [{ name: "search_gmail", input: { query: String(answers) } }] }),
        },
        {
          stopMessage: ({ message: words }) => `${words} ${++said}`,
          fallback: { retrieve: () => `found ${++said}`, write: (found) => `I ${found}.` },
        },
        { store, onError: () => {}, agent: { onLimit: "land", limits: { turns: 2 } } },
      );
      const [session] = await store.sessions.list({ userId: "u1" });
      await world.pawl.sweep();
      return await world.say(message, { clientMessageId: "m1", ...(session && { sessionId: session.id }) });
    };
    for (const blocked of [true, false]) {
      for (let n = 2; n < 30; n += 1) {
        let clock = Date.UTC(2026, 10, 20);
        const base = memoryStore({ now: () => clock });
        const dying = dyingAt(base, n, "after");
        await tellEnd(dying.store, blocked).catch(() => undefined);
        if (!dying.isDead()) break;
        clock += 600_000;
        const { stop, text } = await tellEnd(base, blocked);
        const { stopped, retrieved } = recordOf(await logOf(base));
        if (blocked) expect([n, stop.message]).toEqual([n, stopped?.message]);
        else expect([n, text]).toEqual([n, `I ${retrieved}.`]);
      }
    }
  });
});
