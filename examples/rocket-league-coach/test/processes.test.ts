import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { postgresReservations, postgresStore } from "@pawl/postgres";
import { type MessagesApi, messagesApi, type Rules } from "@pawl/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { NODE_FLAGS } from "../../../test/support/node-flags.ts";
import { pause } from "../../../test/support/pause.ts";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { longestLeaseMs } from "../../../test/support/postgres-leases.ts";
import { freePort } from "../../../test/support/postgres-server.ts";
import { prepareDatabase } from "../../../test/support/prepared-database.ts";
import { readCoachConfig, sharedTokens } from "../src/index.ts";
import { aspEvents } from "./support/coaching.ts";
import { type Program, program } from "./support/program.ts";
import { type Act, proxy } from "./support/proxy.ts";

const SECRETS = { COACH_TOKEN_SECRET: "secret_of_tokens_0123", COACH_SERVICE_KEY: "key_of_services_0123" };
const HALF = { input_tokens: 700, output_tokens: 50 };
const tokens = sharedTokens(SECRETS.COACH_TOKEN_SECRET);
// Short, because a killed server's run waits so long. But a run that could not be charged for four leases is
// given up, and the backend must start before that on a busy machine. Nobody takes over a live server's run.
const LEASE_MS = 4_000;

/** Reads the notes, then answers. Every answer bills 750 tokens. */
const rules: Rules = (_request, { turn }) =>
  turn === 0
    ? { thinking: "Notes.", tools: [{ name: "get_coaching_notes", input: {} }], usage: HALF }
    : { thinking: "There.", text: "Take the small pads.", usage: HALF };

describe("X3 E10 the two processes", () => {
  let database: TestDatabase;
  let api: MessagesApi;
  beforeAll(async () => {
    database = await testDatabase();
    api = await messagesApi({ rules });
  }, 60_000);
  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  /** Looks at each request of the front server to the backend. A test sets it. */
  let see: (path: string, when: "before" | "after") => Promise<void>;
  let backend: Program;
  let front: Program;
  let frontPort: number;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    const backendPort = await freePort();
    frontPort = await freePort();
    const env = { ...SECRETS, DATABASE_URL: database.url, ANTHROPIC_API_KEY: "sk-test-0123456789" };
    const act: Act = async ({ path, send }) => {
      await see(path, "before");
      const answer = await send();
      await see(path, "after");
      return answer;
    };
    const BACKEND_URL = await proxy(`http://127.0.0.1:${backendPort}`, act, (end) => ends.push(end));
    backend = program("backend", { ...env, BACKEND_PORT: String(backendPort) });
    const PAWL_LEASE_MS = String(LEASE_MS);
    const others = { PORT: String(frontPort), BACKEND_URL, ANTHROPIC_BASE_URL: api.url, PAWL_LEASE_MS };
    front = program("front", { ...env, ...others });
  });
  beforeEach(async () => {
    see = async () => undefined;
    await Promise.all([backend.start(), front.start()]);
  }, 60_000);
  afterAll(async () => {
    await front.kill();
    await backend.kill();
    for (const end of ends) await end();
  });

  const chat = async (user: string) =>
    await fetch(`http://127.0.0.1:${frontPort}/api/coach/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${await tokens.issue(user)}` },
      body: JSON.stringify({ message: "What do you know of me?" }),
    });

  /** Waits until the user's run has ended, and returns what the user was charged and what is still held. */
  async function settledFor(user: string) {
    const pool = database.pool();
    const store = postgresStore(pool);
    const over = async () =>
      (await store.sessions.list({ userId: user, limit: 5 })).every((one) => one.openRun === null);
    await expect.poll(over, { timeout: 40_000, interval: 250 }).toBe(true);
    const [session] = await store.sessions.list({ userId: user, limit: 5 });
    const log = await Array.fromAsync(store.read(session?.id ?? ""));
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(log)).not.toContain(secret);
    const period = new Date().toISOString().slice(0, 7);
    const balance = await postgresReservations(pool).balance(`rl-coach/${user}/${period}`);
    const { rows } = await pool.query(
      "SELECT role, content_json FROM rl_coach.chat_message JOIN rl_coach.chat_session USING (session_id) WHERE user_id = $1 ORDER BY message_id",
      [user],
    );
    const end = log.findLast(({ type }) => type === "run_ended")?.data as { stop: { type: string } };
    return { balance, roles: rows.map(({ role }) => role), stop: end.stop.type };
  }

  it("X3 E10 a front server that is killed in the middle of a run charges what was billed, once it is back", async () => {
    const inTool = Promise.withResolvers<void>();
    let isDead = false;
    see = async (path) => {
      if (!path.endsWith("/tools/execute") || isDead) return;
      inTool.resolve();
      await new Promise(() => undefined);
    };
    // It is cut off while the server is being killed, before anybody waits for it.
    const answered = chat("kim")
      .then((response) => response.text())
      .catch(() => undefined);
    await inTool.promise;
    isDead = true;
    expect(await longestLeaseMs(database.pool())).toBeLessThanOrEqual(LEASE_MS);
    await front.kill();
    await answered;
    await front.start();
    const { balance, roles, stop } = await settledFor("kim");
    expect(balance).toEqual({ used: 750, held: 0 });
    expect(stop).toBe("credentials_missing");
    expect(roles).toEqual(["user", "assistant", "user"]);
  }, 90_000);

  it.each(["before", "after"] as const)(
    "X3 E10 a backend that is killed in record, %s the charge, charges once, and the run ends once it is back",
    async (wanted) => {
      let kills = 0;
      see = async (path, when) => {
        if (!path.endsWith("/chat/record") || when !== wanted || kills > 0) return;
        kills += 1;
        await backend.kill();
        throw new Error("gone");
      };
      const user = `lee-${wanted}`;
      const response = await chat(user);
      const streamed = aspEvents(response);
      await expect.poll(() => kills, { timeout: 20_000 }).toBe(1);
      await pause(1_500, "longer than the front server repeats the request");
      await backend.start();
      const { balance, roles, stop } = await settledFor(user);
      expect(balance).toEqual({ used: 1_500, held: 0 });
      expect(stop).toBe("end_turn");
      expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
      const events = await streamed;
      expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
      expect(api.rejected).toEqual([]);
    },
    90_000,
  );
});

describe("X3 X5 the front server's key", () => {
  async function servers(frontKey: string, from?: { bundle: boolean }) {
    const [port, backendPort] = [await freePort(), await freePort()];
    const dir = await mkdtemp(join(tmpdir(), "pawl-"));
    await Promise.all(["backend", "front"].map((name) => prepareDatabase(join(dir, name))));
    const env = { ...SECRETS, PAWL_DIR: dir };
    const backend = program("backend", { ...env, BACKEND_PORT: String(backendPort) }, from);
    const front = program(
      "front",
      {
        ...env,
        COACH_SERVICE_KEY: frontKey,
        PORT: String(port),
        BACKEND_URL: `http://127.0.0.1:${backendPort}`,
      },
      from,
    );
    onTestFinished(async () => {
      await front.kill();
      await backend.kill();
      await rm(dir, { recursive: true, force: true });
    });
    return { front, backend };
  }

  it("X3 X5 a front server with a wrong key does not start, and says which variable is wrong", async () => {
    const wrong = "wrong_key_of_services_0123";
    const { front, backend } = await servers(wrong);
    await backend.start();
    const { message } = await front.start().then(
      () => new Error("It has started."),
      (error: Error) => error,
    );
    expect(message).toContain("ended with 1");
    expect(message).toContain(
      "401 (unauthorized). COACH_SERVICE_KEY is wrong: both processes need the same one.",
    );
    for (const secret of [wrong, ...Object.values(SECRETS)]) expect(message).not.toContain(secret);
  }, 60_000);

  it("X3 X5 a front server starts before its backend, and says that it cannot be reached yet", async () => {
    const { front, backend } = await servers(SECRETS.COACH_SERVICE_KEY, { bundle: false });
    await front.start();
    expect(front.output).toContain("coach: The backend failed: it cannot be reached, or is too slow.");
    expect(front.output).toMatch(/BACKEND_URL \(http:\/\/[\w.:]+\), messages are refused with 503/);
    await backend.start();
  }, 60_000);

  it("X3 a program prints a user's bearer token", async () => {
    const file = join(import.meta.dirname, "../src/main/token.ts");
    const env = { ...process.env, ...SECRETS };
    const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, file, "bob"], { env });
    expect(await tokens.userOf(stdout.trim())).toBe("bob");
  });
});

it("X5 both run in one program without a variable, and keep their data over a restart", async () => {
  const dir = await mkdtemp(join(tmpdir(), "pawl-"));
  const env = { PORT: String(await freePort()), PAWL_DIR: dir };
  const embedded = program("embedded", env, { bundle: false });
  onTestFinished(async () => {
    await embedded.kill();
    await rm(dir, { recursive: true, force: true });
  });
  const budgetOf = async () => {
    await expect.poll(() => embedded.output, { timeout: 20_000 }).toMatch(/Try it:[\s\S]*curl[^\n]*\n/);
    const [, url = "", token = ""] =
      [...embedded.output.matchAll(/curl -N (http:\S+?)\/api.*?"authorization: (.*?)"/g)].at(-1) ?? [];
    const headers = { authorization: token };
    const budget = async () => await (await fetch(`${url}/api/v1/coach/budget`, { headers })).json();
    return { url, headers, budget };
  };
  await embedded.start();
  const { url, headers, budget } = await budgetOf();
  const body = JSON.stringify({ message: "My goal is Champion I, remember that" });
  const events = await aspEvents(await fetch(`${url}/api/coach/chat`, { method: "POST", headers, body }));
  expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
  const before = await budget();
  expect(before).toMatchObject({ user_id: "ada", held: 0 });
  expect(await embedded.leave()).toBe(0);
  await embedded.start();
  await pause(300, "what a restart would charge again, it has charged by then");
  expect(await (await budgetOf()).budget()).toEqual(before);
}, 90_000);

describe("X5 the settings", () => {
  it("X5 takes every name of .env.example, with its defaults", () => {
    const file = join(import.meta.dirname, "../.env.example");
    const defaults = parseEnv(readFileSync(file, "utf8")) as Record<string, string>;
    expect(readCoachConfig(defaults)).toEqual(readCoachConfig({}));
    expect(readCoachConfig({})).toMatchObject({
      modelId: "claude-opus-4-5",
      maxSteps: 10,
      leaseMs: 10_000,
      backendUrl: "http://localhost:8000",
      port: 3_000,
    });
    expect(Object.keys(defaults)).toEqual(
      expect.arrayContaining([
        "ANTHROPIC_API_KEY",
        "COACH_MODEL_ID",
        "COACH_MAX_STEPS",
        "BACKEND_URL",
        "PAWL_LEASE_MS",
        "PORT",
      ]),
    );
  });

  it.each([
    ["COACH_MAX_STEPS", "0"],
    ["COACH_MODEL_ID", "gpt"],
    ["BACKEND_URL", "localhost"],
    ["PORT", "65536"],
    ["PAWL_LEASE_MS", "999"],
    ["COACH_SERVICE_KEY", "short"],
    ["DATABASE_URL", "mysql://x"],
  ])("X5 names a wrong %s", (name, value) => {
    expect(() => readCoachConfig({ [name]: value })).toThrow(name);
  });

  it("X5 a process of two refuses to start without the shared secrets", async () => {
    const backend = program("backend", { BACKEND_PORT: "0", COACH_TOKEN_SECRET: "", COACH_SERVICE_KEY: "" });
    await expect(backend.start()).rejects.toThrow("Set COACH_TOKEN_SECRET and COACH_SERVICE_KEY");
  });
});
