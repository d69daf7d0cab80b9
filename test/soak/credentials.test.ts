import { inspect } from "node:util";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  agent,
  agentTool,
  type EventStore,
  type Hook,
  jsonSchema,
  memoryBlobs,
  PawlError,
  runtime,
  type ToolContext,
  tool,
} from "@pawl/core";
import { withEventLines } from "@pawl/core/inspect";
import { withSpans } from "@pawl/otel";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import type pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { crashingStore } from "../support/crashing-store.ts";
import { ofType } from "../support/invariants.ts";
import { pause } from "../support/pause.ts";
import { type TestDatabase, testDatabase } from "../support/postgres.ts";
import { soak } from "../support/soak.ts";

const RUNS = soak(6, 200);
const LEASE_MS = 150;
const user = { userId: "u1" };
const token = (n: number) => `tok_${"0123456789abcdef".repeat(2)}_${n}`;
/** What all tokens have in common, also in the forms that JSON and URLs give them. */
const SECRET = /tok_0123456789abcdef/;

let database: TestDatabase;
let pool: pg.Pool;
let store: EventStore;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool({ max: 8 });
  await migrate(pool);
  store = postgresStore(pool);
});
afterAll(async () => await database.drop());

type Held = { token: string };

/** Repeats its caller's token wherever a tool can: in its result, its error, events, reports and progress. */
const careless = tool({
  name: "careless",
  description: "Calls an API.",
  input: jsonSchema<{ how: string }>({ type: "object" }),
  idempotent: true,
  execute: async ({ how }, context: ToolContext<Held>) => {
    const { token } = context.credentials as Held;
    context.progress({ authorization: `Bearer ${token}` });
    context.report({ summary: `called with ${token}` });
    await context.append({ type: "api.called", data: { headers: { authorization: token } } });
    if (how === "fails")
      throw new Error(`401 for ${encodeURIComponent(token)}, Bearer ${context.deps.token}`);
    return how === "large" ? `${token} `.repeat(20_000) : { token };
  },
});

const leaky: Hook<Held> = {
  name: "leaky",
  afterTurn: async (_turn, { append, credentials, run }) => {
    const { token } = credentials as Held;
    await append({
      type: "note",
      key: `n:${run.runId}:${run.turns}`,
      data: { text: `The token is ${token}.` },
    });
    throw new Error(`no note for ${token}`);
  },
};

const how = ["fails", "large", "plain"];
const calls = (name: string) => how.map((one) => ({ name, input: { how: one, task: one } }));

function makeAgent() {
  const inner = agent<Held>({
    name: "inner",
    model: scriptedModel(({ messages }) =>
      messages.some(({ role }) => role === "assistant") ? { text: "Done." } : { tools: calls("careless") },
    ),
    instructions: "You help.",
    tools: [careless],
  });
  const rules = ({ messages }: { messages: readonly { role: string }[] }) => {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return (
      [{ tools: calls("careless") }, { tools: [{ name: "inner", input: { task: "Go" } }] }][turn] ?? {
        text: "Done.",
      }
    );
  };
  return agent<Held>({
    name: "tester",
    model: scriptedModel(rules),
    instructions: "You act.",
    tools: [careless, agentTool({ agent: inner, description: "Helps." })],
    hooks: [leaky],
    limits: { toolFailures: 99, errorTurns: 99 },
  });
}

/** Returns everything that the database has, as text. */
async function dump(): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  const tables = rows.map(async ({ name }) =>
    JSON.stringify((await pool.query(`SELECT t::text FROM ${name} t`)).rows),
  );
  return (await Promise.all(tables)).join("\n");
}

it(
  `F17 ${RUNS} runs with crashes and take-overs leave no credential in tables, blobs, errors, spans and lines`,
  async () => {
    const seen: string[] = [];
    const note = (...given: unknown[]) =>
      seen.push(...given.map((one) => (typeof one === "string" ? one : inspect(one, { depth: 9 }))));
    for (const method of ["log", "error", "warn", "info"] as const)
      vi.spyOn(console, method).mockImplementation(note);
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const memory = memoryBlobs();
    const blobs: typeof memory = {
      ...memory,
      put: async (...given) => {
        note(given);
        return await memory.put(...given);
      },
    };
    const traced = withSpans(withEventLines(store, note), {
      tracer: provider.getTracer("t"),
      content: true,
    });
    const tester = makeAgent();
    const boot = (over: EventStore) =>
      runtime({
        agents: [tester],
        store: over,
        deps: (_session, { credentials }) => ({ token: (credentials as Held | undefined)?.token ?? "" }),
        blobs,
        times: { leaseTtlMs: LEASE_MS, pollMs: 30, abortGraceMs: 10, storeRetryMs: [] },
        onError: note,
      });
    let asked = 0;
    let crashed = 0;
    for (let n = 0; n < RUNS; n += 1) {
      const sessionId = `s${n}`;
      const held = { credentials: { token: token(n) } };
      await traced.sessions.create({ id: sessionId, ...user, agent: "tester" });
      const dying = crashingStore(traced, 3 + (n % 12), n % 2 === 0 ? "before" : "after");
      const input = { ...user, sessionId, input: "Go", clientMessageId: "m", ...held };
      await boot(dying).run("tester", input).result.catch(note);
      crashed += dying.dead ? 1 : 0;
      const next = boot(traced);
      for (let isOpen = true; isOpen; ) {
        // A process without the credentials takes the run over first, and then their owner comes back.
        if (n % 3 === 0) {
          await pause(LEASE_MS + 50, "the lease of the dead process expires");
          await next.sweep();
        }
        const started = next.run("tester", input).started.catch((error: unknown) => {
          if (!PawlError.is(error, "session_busy")) note(error);
        });
        await started;
        const events = next.follow(sessionId, {
          resume: true,
          untilIdle: true,
          ...held,
          signal: AbortSignal.timeout(400),
        });
        for await (const event of events) note(event);
        isOpen = (await traced.sessions.get(sessionId))?.openRun !== null;
      }
      note(await next.view(sessionId, user));
      await next.drain();
      const log = await Array.fromAsync(store.read(sessionId));
      asked += ofType(log, "tool_suspended").filter(({ data }) => data.kind === "credentials").length;
      expect(
        ofType(log, "run_ended").map(({ data }) => data.stop.type),
        sessionId,
      ).toEqual(["end_turn"]);
    }
    vi.restoreAllMocks();
    await provider.forceFlush();
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
    const places = {
      tables: await dump(),
      seen: seen.join("\n"),
      spans: inspect(spans, { depth: 9, maxStringLength: null }),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(1_000);
      expect(text.match(SECRET)?.[0], place).toBeUndefined();
    }
    expect(asked).toBeGreaterThan(0);
    soak.report(
      `${RUNS} runs, ${crashed} crashes, ${asked} times asked for credentials: none found in ${places.tables.length + places.seen.length + places.spans.length} characters of tables, lines, errors, blobs and spans`,
    );
  },
  soak(120_000, 3_600_000),
);
