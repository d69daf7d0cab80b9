import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { prepareCompany } from "../../../enterprise-search/test/support/prepared-company.ts";
import { MAIN, startServer } from "../support/server.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** Starts a server over the database, with a directory of its own. */
async function start(env: Record<string, string> = {}, kept?: string) {
  const dir = kept ?? (await mkdtemp(join(tmpdir(), "pawl-playground-")));
  const server = startServer({ PAWL_DIR: dir, DATABASE_URL: database.url, ...env }, await bundled(MAIN));
  onTestFinished(async () => {
    server.process.kill("SIGKILL");
    await server.exited;
    await rm(dir, { recursive: true, force: true });
  });
  return { server, dir };
}

const headers = { "content-type": "application/json", cookie: `pawl_browser=${"a".repeat(43)}` };

async function train(url: string, input: string, sessionId?: string) {
  const body = JSON.stringify({ input, ...(sessionId && { sessionId }) });
  const response = await fetch(`${url}/api/trainer/runs`, { method: "POST", headers, body });
  return { text: await response.text(), sessionId: response.headers.get("x-pawl-session") ?? "" };
}

describe("the playground on a Postgres server", () => {
  it("X2 X5 keeps workouts and their log there, and another process continues the session", {
    timeout: 120_000,
  }, async () => {
    const first = await start();
    const made = await train(await first.server.ready, "A short chest session, please");
    expect(made.text).toContain("generate_workout");
    first.server.process.kill("SIGKILL");
    await first.server.exited;
    expect(await readdir(first.dir)).not.toContain("db");

    const second = await start();
    const url = await second.server.ready;
    const pool = database.pool();
    const entries = async (): Promise<number> =>
      (await pool.query("SELECT count(*)::int AS n FROM trainer.workout_history")).rows[0].n;
    const before = await entries();
    const logged = await train(url, "Please log this workout: I did all of it as planned", made.sessionId);
    expect(logged.text).toContain("log_workout");
    expect(await entries()).toBeGreaterThan(before);
    second.server.process.kill("SIGTERM");
    expect(await second.server.exited).toBe(0);
  });

  it("X4 X5 searches with the embedded index, keeps conversations there, and opens both again after a kill", {
    timeout: 120_000,
  }, async () => {
    const small = { SEARCH_DOCUMENTS: "1000" };
    const post = (url: string, path: string, body: object = {}) =>
      fetch(`${url}/api/search/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const get = async (url: string, path: string) =>
      await (await fetch(`${url}/api/search/${path}`, { headers })).json();
    const ready = async (url: string) => {
      await post(url, "index");
      const state = async () => await get(url, "index");
      await expect
        .poll(state, { timeout: 60_000, interval: 50 })
        .toEqual({ status: "ready", stage: "ready", done: 1 });
    };
    const ask = async (url: string, input: string, more: object = {}) => {
      const response = await post(url, "runs", { input, ...more });
      return { text: await response.text(), sessionId: response.headers.get("x-pawl-session") ?? "" };
    };
    const kept = await mkdtemp(join(tmpdir(), "pawl-playground-"));
    await prepareCompany(kept);
    const first = await start(small, kept);
    const url = await first.server.ready;
    await ready(url);
    const { text, sessionId } = await ask(url, "How much is the Q4 revenue forecast?");
    expect(text).toContain("$18.4 million");
    const draft = { name: "Figures", description: "Finds figures.", instructions: "Search the mail." };
    expect((await post(url, "agents", draft)).status).toBe(201);
    first.server.process.kill("SIGKILL");
    await first.server.exited;
    expect((await readdir(first.dir)).sort()).toEqual(expect.arrayContaining(["company-harborline-1000"]));
    expect(await readdir(first.dir)).not.toContain("db");

    const second = await start(small, first.dir);
    const again = await second.server.ready;
    await ready(again);
    const { agents } = (await get(again, "agents")) as { agents: { name: string }[] };
    expect(agents.map(({ name }) => name)).toContain("Figures");
    const next = await ask(again, "What do we know about Norvik Marine?", { sessionId });
    expect([next.sessionId, next.text]).toEqual([sessionId, expect.stringContaining("Norvik Marine")]);
    const { events } = (await get(again, `sessions/${sessionId}/events?limit=1000`)) as {
      events: { type: string }[];
    };
    expect(events.filter(({ type }) => type === "run_ended")).toHaveLength(2);
    second.server.process.kill("SIGTERM");
    expect(await second.server.exited).toBe(0);
  });

  it("X5 says in one line that the server cannot be reached, without the password", {
    timeout: 60_000,
  }, async () => {
    const { server } = await start({ DATABASE_URL: "postgres://pawl:hidden0123@127.0.0.1:9/app" });
    expect(await server.exited).toBe(1);
    expect(server.output()).toMatch(/^The database of DATABASE_URL cannot be used\. .+\n$/);
    expect(server.output()).not.toContain("hidden0123");
  });
});
