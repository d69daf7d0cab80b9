import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { runtime } from "@pawl/core";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore } from "@pawl/postgres";
import { expect, it, onTestFinished } from "vitest";
import { assertSoundLog, ofType, stops } from "./support/invariants.ts";
import { NODE_FLAGS } from "./support/node-flags.ts";
import { testDatabase } from "./support/postgres.ts";
import { soak } from "./support/soak.ts";
import { walker } from "./support/walker.ts";

const RUNS = 16;
const file = new URL("./support/engine-worker.ts", import.meta.url).pathname;

/** A process that works for the engine, and the sessions that the engine has given it, with the time. */
async function engineWorker(url: string) {
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, file, url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const given: { sessionId: string; at: number }[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "ready") resolve();
    else given.push({ sessionId: line, at: performance.now() });
  });
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  await Promise.race([ready, gone.then(([code]) => Promise.reject(new Error(`ended with ${code}`)))]);
  return { given, kill };
}

it("Q1 E2 sessions of a worker that is killed are given to the other one, and every run ends", async () => {
  const database = await testDatabase();
  onTestFinished(async () => await database.drop());
  const pool = database.pool();
  await migrate(pool);
  const store = postgresStore(pool);
  const [first, second] = await Promise.all([engineWorker(database.url), engineWorker(database.url)]);

  const engine = pgBossEngine({ connectionString: database.url });
  onTestFinished(async () => await engine.close());
  const web = runtime({ agents: [walker], store, engine, concurrency: 0 });
  onTestFinished(async () => await web.drain());
  const runs = Array.from({ length: RUNS }, () => web.run("walker", { userId: "ada", input: "Go" }));
  const ids = await Promise.all(runs.map(async ({ started }) => (await started).sessionId));
  const logOf = async (id: string) => await Array.fromAsync(store.read(id));
  await expect
    .poll(() => Math.min(first.given.length, second.given.length), { timeout: 10_000 })
    .toBeGreaterThanOrEqual(4);
  const calls = async (id: string) => ofType(await logOf(id), "tool_call").length;
  await expect
    .poll(async () => calls(first.given[0]!.sessionId), { timeout: 10_000 })
    .toBeGreaterThanOrEqual(2);

  const killedAt = performance.now();
  await first.kill();
  const opened = await Promise.all(first.given.map(({ sessionId }) => store.sessions.get(sessionId)));
  const orphans = opened.flatMap((row) => (row === undefined || row.openRun === null ? [] : [row.id]));
  expect(orphans.length).toBeGreaterThan(0);

  const results = await Promise.all(runs.map(({ result }) => result));
  const endedAt = performance.now();
  expect(results.map(({ stop, text }) => `${stop.type}: ${text}`)).toEqual(
    ids.map(() => "end_turn: Arrived."),
  );
  for (const id of ids) {
    const log = await logOf(id);
    assertSoundLog(log);
    expect(stops(log)).toEqual(["end_turn"]);
  }
  const takeover = () =>
    orphans.map((id) => second.given.find(({ sessionId, at }) => sessionId === id && at > killedAt)?.at);
  await expect.poll(takeover, { timeout: 10_000 }).not.toContain(undefined);
  const seconds = takeover().map((at) => ((at ?? 0) - killedAt) / 1000);
  soak.report(
    `pg-boss: ${orphans.length} of ${RUNS} runs were of the killed worker; the engine gave them to the other one ${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s later, all runs had ended after ${((endedAt - killedAt) / 1000).toFixed(1)} s`,
  );
}, 60_000);
