import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../../test/support/invariants.ts";
import { memoryStore, PawlError, runtime, tool } from "../../../src/index.ts";
import { setup } from "../../support/setup.ts";

const SEEDS = Number(process.env.SEEDS ?? 60);

/** A number from 0 to 1 for each call, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return ((state >>> 0) % 1_000) / 1_000;
  };
}

it("R2 L3 L4 a run that processes leave anywhere has every effect's result, and each effect once", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const next = random(seed);
    const inner = memoryStore();
    const pause = async () => {
      for (let n = Math.floor(next() * 6); n > 0; n -= 1) await setImmediate();
    };
    const store = {
      ...inner,
      append: async (...given: Parameters<typeof inner.append>) => {
        await pause();
        const rows = await inner.append(...given);
        await pause();
        return rows;
      },
    };
    const effects: string[] = [];
    const make = (name: string, idempotent: boolean) =>
      tool({
        name,
        description: "",
        input: z.object({ n: z.number() }),
        idempotent,
        execute: async ({ n }, { signal }) => {
          for (let at = Math.floor(next() * 8); at > 0 && !signal.aborted; at -= 1) await setImmediate();
          effects.push(`${name} ${n}`);
          return "sent";
        },
      });
    const ask = tool({
      name: "ask",
      description: "",
      input: z.object({ n: z.number() }),
      suspends: { answer: z.string() },
    });
    let n = 0;
    const script = [1, 2, 3].map(() => ({
      tools: ["once", "again", "ask"]
        .filter(() => next() < 0.7)
        .concat("once")
        .map((name) => ({ name, input: { n: ++n } })),
    }));
    const world = setup(
      [...script, ...Array.from({ length: 20 }, () => ({ text: "Done." }))],
      { tools: [make("once", false), make("again", true), ask] },
      { store, onError: () => undefined },
    );
    let pawl = world.pawl;
    const run = pawl.run("tester", { userId: "u1", input: "Go" });
    run.result.catch(() => undefined);
    const { sessionId } = await run.started;
    for (let legs = 0; legs < 12; legs += 1) {
      for (let at = Math.floor(next() * 60); at > 0; at -= 1) await setImmediate();
      await pawl.drain({ timeoutMs: 1 }).catch(() => undefined);
      pawl = runtime({
        agents: [world.agent],
        store,
        times: { abortGraceMs: 20, storeRetryMs: [] },
        onError: () => undefined,
      });
      const row = await inner.sessions.get(sessionId);
      if (row?.openRun == null) break;
      const { pending } = await pawl.view(sessionId, { userId: "u1" });
      const answers = pending.map(({ callId }) => ({ callId, value: "yes" }));
      const going =
        answers.length > 0 ? pawl.run("tester", { userId: "u1", sessionId, answers }).result : pawl.sweep();
      void Promise.resolve(going).catch((error) => {
        if (!PawlError.is(error)) throw error;
      });
    }
    await pawl.drain({ timeoutMs: 5_000 }).catch(() => undefined);
    const log = await world.log(sessionId);
    const summary = log
      .map(({ seq, type, data }) => `${seq} ${type} ${JSON.stringify(data).slice(0, 90)}`)
      .join("\n");
    try {
      assertSoundLog(log);
      expect(world.model.rejected).toEqual([]);
      const late = log.filter(
        ({ type, data }) => type === "error" && (data as { code: string }).code === "late_result",
      );
      expect(late).toEqual([]);
      const once = effects.filter((one) => one.startsWith("once"));
      expect(new Set(once).size).toBe(once.length);
      const unknown = log.filter(
        ({ type, data }) => type === "tool_result" && JSON.stringify(data).includes("unknown"),
      );
      expect(unknown).toEqual([]);
    } catch (error) {
      console.log(`seed ${seed}\n${summary}\n${effects.join()}`);
      throw error;
    }
  }
}, 120_000);
