import { agent, type EventStore, type RuntimeOptions, runtime } from "@pawl/core";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type TestDatabase, testDatabase } from "./support/postgres.ts";

let database: TestDatabase;
let store: EventStore;
beforeAll(async () => {
  database = await testDatabase();
  const db = database.pool();
  await migrate(db);
  store = postgresStore(db);
}, 60_000);
afterAll(() => database.drop());

interface Process extends Pick<RuntimeOptions<unknown>, "onError"> {
  concurrency: number;
  /** The store of a process that dies. */
  over?: EventStore;
}

/** A process: a runtime and its engine over the store's database. */
function newProcess({ concurrency, over = store, ...options }: Process) {
  const engine = pgBossEngine({ connectionString: database.url, sameDatabase: true });
  const model = scriptedModel([{ text: "Done." }]);
  const coach = agent({ name: "coach", model, instructions: "Help." });
  const pawl = runtime({
    agents: [coach],
    store: over,
    engine,
    concurrency,
    times: { leaseTtlMs: 60_000 },
    ...options,
  });
  onTestFinished(async () => {
    await pawl.drain({ timeoutMs: concurrency === 0 ? 0 : 20_000 });
    await engine.close();
  });
  return { pawl, coach, engine };
}

describe("pgBossEngine({ sameDatabase: true })", () => {
  it("Q1 Q2 runs the message of a process that died right after it was stored, without a sweep", async () => {
    const worker = newProcess({ concurrency: 2 });
    worker.pawl.start();
    // Its last sign of life is the commit: it neither releases a lease nor wakes anything after that.
    const dying: EventStore = {
      ...store,
      appendWith: async (...given) => {
        await store.appendWith?.(...given);
        return await new Promise<never>(() => undefined);
      },
    };
    // A process that has died says nothing about the database that is taken from it.
    const web = newProcess({ concurrency: 0, over: dying, onError: () => undefined });
    // Only an engine that is connected takes transactions.
    await web.engine.wake("no such session");
    const { id: sessionId } = await web.pawl.getOrCreateSession("coach", "ada");
    void web.pawl.run(web.coach, { userId: "ada", sessionId, input: "Hi" });
    const typesOf = async () => (await Array.fromAsync(store.read(sessionId))).map(({ type }) => type);
    await expect.poll(async () => (await typesOf()).at(-1), { timeout: 8_000 }).toBe("run_ended");
    expect((await typesOf()).filter((type) => type === "user_message")).toHaveLength(1);
  });
});
