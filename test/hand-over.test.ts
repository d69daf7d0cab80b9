import { agent, type EventStore, runtime, tool } from "@pawl/core";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type TestDatabase, testDatabase } from "./support/postgres.ts";

const SOON = { timeout: 8_000 };

let database: TestDatabase;
let store: EventStore;
beforeAll(async () => {
  database = await testDatabase();
  const db = database.pool();
  await migrate(db);
  store = postgresStore(db);
}, 60_000);
afterAll(() => database.drop());

const pause = tool({
  name: "pause",
  description: "Waits for a second and a half.",
  input: z.object({}),
  execute: (_, { answered, wait }) => answered ?? wait({ afterMs: 1_500 }),
});

/** A store over which a process leaves a session in an append, and then gives no sign of life. */
function dying(over: EventStore): EventStore {
  const never = () => new Promise<never>(() => undefined);
  return {
    ...over,
    append: async (sessionId, events, options) => {
      const rows = await over.append(sessionId, events, options);
      return events.some(({ type }) => type === "run_suspended") ? await never() : rows;
    },
    appendWith: async (...given) => {
      await over.appendWith?.(...given);
      return await never();
    },
  };
}

async function typesOf(sessionId: string): Promise<string[]> {
  return (await Array.fromAsync(store.read(sessionId))).map(({ type }) => type);
}

/** A process: a runtime and its engine over the store's database. */
function newProcess({ concurrency, over = store }: { concurrency: number; over?: EventStore }) {
  const engine = pgBossEngine({ connectionString: database.url, sameDatabase: true });
  const model = scriptedModel(({ messages }) =>
    messages.length === 1 && JSON.stringify(messages).includes("Wait")
      ? { tools: [{ name: "pause", input: {} }] }
      : { text: "Done." },
  );
  const coach = agent({ name: "coach", model, instructions: "Help.", tools: [pause] });
  const pawl = runtime({ agents: [coach], store: over, engine, concurrency, leaseTtlMs: 60_000 });
  onTestFinished(async () => {
    await pawl.drain({ timeoutMs: 2_000 });
    await engine.close();
  });
  return { pawl, coach, engine };
}

describe("pgBossEngine({ sameDatabase: true })", () => {
  it("Q1 Q2 runs the message of a process that died right after it was stored, without a sweep", async () => {
    const worker = newProcess({ concurrency: 2 });
    worker.pawl.start();
    const web = newProcess({ concurrency: 0, over: dying(store) });
    // Only an engine that is connected takes transactions.
    await web.engine.wake("no such session");
    const { id: sessionId } = await web.pawl.getOrCreateSession("coach", "ada");
    void web.pawl.run(web.coach, { userId: "ada", sessionId, input: "Hi" });
    await expect.poll(async () => (await typesOf(sessionId)).at(-1), SOON).toBe("run_ended");
    expect((await typesOf(sessionId)).filter((type) => type === "user_message")).toHaveLength(1);
  });

  it("Q1 Q2 wakes the run of a process that died right after it was suspended, without a sweep", async () => {
    const first = newProcess({ concurrency: 2, over: dying(store) });
    await first.engine.wake("no such session");
    const { id: sessionId } = await first.pawl.getOrCreateSession("coach", "grace");
    void first.pawl.run(first.coach, { userId: "grace", sessionId, input: "Wait" });
    await expect.poll(async () => (await typesOf(sessionId)).at(-1), SOON).toBe("run_suspended");
    newProcess({ concurrency: 2 }).pawl.start();
    await expect.poll(async () => (await typesOf(sessionId)).at(-1), SOON).toBe("run_ended");
    expect((await typesOf(sessionId)).filter((type) => type === "tool_result")).toHaveLength(1);
  });
});
