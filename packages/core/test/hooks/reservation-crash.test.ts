import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";
import {
  type EventStore,
  memoryReservations,
  memoryStore,
  PawlError,
  type Session,
} from "../../src/index.ts";
import type { Reservations } from "../../src/store.ts";
import { AMOUNT, budget, IN_USD } from "../support/budget.ts";
import { type Setup, setup } from "../support/setup.ts";
import { ask, calling, echo } from "../support/tools.ts";

const script: readonly Reply[] = [
  { tools: [calling("echo")] },
  { tools: [{ name: "ask", id: "toolu_q" }] },
  { text: "Ok." },
];

/** Prices of which every token of a prompt is a whole number. */
const pricing = { input: 2, output: 4, cacheRead: 2, cacheWrite5m: 2, cacheWrite1h: 2 };

/** The process dies where its reservations are asked for the nth time: before they hear of it, or before it hears of them. */
function crashingReservations(base: Reservations, at: number, when: "before" | "after") {
  const state = { calls: 0, dead: false };
  const dying = async <T>(call: () => Promise<T>): Promise<T> => {
    if (state.dead) throw new PawlError("store_unavailable", "The process is dead.");
    state.calls += 1;
    const dies = state.calls === at;
    if (dies) state.dead = true;
    const answer = dies && when === "before" ? undefined : await call();
    if (dies) throw new PawlError("store_unavailable", "The process is dead.");
    return answer as T;
  };
  const reservations: Reservations = {
    ...base,
    reserve: async (...args) => await dying(() => base.reserve(...args)),
    renew: async (...args) => await dying(() => base.renew(...args)),
    abort: async (...args) => await dying(() => base.abort(...args)),
    finalize: async (...args) => await dying(() => base.finalize(...args)),
  };
  return { state, reservations };
}

/** What a client does next, and a supervisor where there is nothing for the client to do. */
async function step(world: Setup, base: EventStore): Promise<unknown> {
  const log = await world.log("s1");
  if (log.length === 0) return await world.say("Go", { sessionId: "s1" });
  const { status } = (await base.sessions.get("s1")) as Session;
  if (status === "suspended") return await world.answer("s1", "toolu_q", "yes");
  if ((await world.pawl.sweep()) === 0) return undefined;
  return await Array.fromAsync(world.pawl.follow("s1", { afterSeq: log.length, untilIdle: true }));
}

/** A run with a tool and a question, of which the first process dies at an append or at a call of the reservations. */
async function story(
  die: { at: number; when: "before" | "after"; of: "log" | "budget" },
  unit: "tokens" | "dollars" = "tokens",
) {
  const clock = testClock();
  let now = clock.now();
  const base = memoryStore({ now: () => now });
  await base.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
  const real = memoryReservations({ clock });
  const store = crashingStore(base, die.of === "log" ? die.at : Number.POSITIVE_INFINITY, die.when);
  const dying = crashingReservations(real, die.of === "budget" ? die.at : 0, die.when);
  const process = (reservations: Reservations, log: EventStore, from: number) =>
    setup(
      { script: script.slice(from), pricing },
      {
        tools: [ask, echo("echo", { idempotent: true }).tool],
        hooks: [budget({ reservations, ...(unit === "dollars" && IN_USD) }).hook],
      },
      { store: log },
    );
  let world = process(dying.reservations, store, 0);
  let crashes = 0;
  let most = 0;
  for (let steps = 0; steps < 30; steps += 1) {
    const ended = (await Array.fromAsync(base.read("s1"))).find(({ type }) => type === "run_ended");
    const { used, held } = await real.balance("u1");
    most = Math.max(most, used + held);
    if (ended?.type === "run_ended") {
      const { appends } = store;
      return { data: ended.data, used, held, most, crashes, appends, calls: dying.state.calls };
    }
    try {
      await step(world, base);
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable")) throw error;
      crashes += 1;
      // The lease is over, and with every second crash the reservation is too.
      now += 60_000;
      if (die.at % 2 === 0) await clock.advance(6 * 60_000);
      const turns = (await Array.fromAsync(base.read("s1"))).filter(
        ({ type }) => type === "assistant_message",
      ).length;
      world = process(real, base, turns);
    }
  }
  throw new Error("it does not come to an end");
}

describe("reservation over a crash", async () => {
  const whole = await story({ at: Number.POSITIVE_INFINITY, when: "before", of: "log" });

  it.each([
    ["log", "tokens"],
    ["budget", "tokens"],
    ["log", "dollars"],
  ] as const)(
    "E10 at every call of the %s: the run is charged once with what it used in %s, and all else is back",
    async (of, unit) => {
      const count = of === "log" ? whole.appends : whole.calls;
      expect(count).toBeGreaterThanOrEqual(of === "log" ? 12 : 7);
      for (let at = 1; at <= count; at += 1) {
        for (const when of ["before", "after"] as const) {
          const { data, used, held, most, crashes } = await story({ at, when, of }, unit);
          expect({ at, when, stop: data.stop.type, used, held, crashes }).toEqual({
            at,
            when,
            stop: "end_turn",
            used: unit === "tokens" ? data.tokens.total : Math.round(data.cost_cents * 10_000),
            held: 0,
            crashes: 1,
          });
          expect(used).toBeGreaterThan(0);
          expect(most).toBeLessThanOrEqual(AMOUNT);
        }
      }
    },
  );
});
