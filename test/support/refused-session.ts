import assert from "node:assert/strict";
import {
  agent,
  agentTool,
  type CheckpointStrategy,
  type ContentBlock,
  type EventStore,
  type Hook,
  type ModelClient,
  type ModelRequest,
  memoryStore,
  type RunOptions,
  type Runtime,
  runtime,
  type StoredEvent,
  systemClock,
  tool,
} from "@pawl/core";
import { foldView, newView, reduceView } from "@pawl/core/view";
import { strictModel } from "@pawl/testing";
import * as z from "zod";
import { assertSoundLog, ofType } from "./invariants.ts";
import { assertPages } from "./pages.ts";
import { assertRebuilds } from "./rebuild.ts";
import { base64, PICTURES, type RecordedFiles } from "./recorded-files.ts";
import type { RefusingApi } from "./refusing-api.ts";
import { assertSnapshots } from "./snapshots.ts";
import { until } from "./until.ts";

const user = { userId: "u1" };

/** A session with an agent whose model's API refuses some content. */
export interface RefusedSession {
  readonly store: EventStore;
  readonly hasFiles: boolean;
  /** The knowledge that the next run reads, if any. */
  knowledge: string | undefined;
  /** Starts a process. */
  boot(store?: EventStore): Runtime;
  /** Sends a message, and returns how its run ended. */
  send(pawl: Runtime, input: NonNullable<RunOptions["input"]>): Promise<string>;
  /** Completes what a dead process has left. Returns how the last run ended. */
  takeOver(): Promise<string>;
  /** Asserts what must always hold. */
  check(crashes: number): Promise<StoredEvent[]>;
}

interface Options {
  api: RefusingApi;
  model: ModelClient;
  instructions: string;
  checkpointWhen: readonly CheckpointStrategy[];
  files: RecordedFiles | undefined;
}

export function refusedSession({ api, model, instructions, checkpointWhen, files }: Options): RefusedSession {
  let clock = Date.UTC(2026, 10, 20);
  const began = Date.now();
  const now = () => clock + (Date.now() - began);
  const store = memoryStore({ now });
  const sent: ModelRequest[] = [];
  const recorded = (inner: ModelClient): ModelClient => ({
    ...inner,
    stream: (request, options) => {
      sent.push(JSON.parse(JSON.stringify(request)));
      return inner.stream(request, options);
    },
  });
  const small = strictModel({ rules: (request) => api.reply(request as never) });
  const helper = agent({ name: "helper", model: recorded(small), instructions: "You help.", tools: [read] });
  const recall: Hook = {
    name: "recall",
    beforeRun: async ({ append }) => {
      if (session.knowledge === undefined) return;
      await append({ type: "knowledge", data: { source: "web", data: session.knowledge } });
      session.knowledge = undefined;
    },
  };
  const made = agent({
    ...{ name: "tester", model: recorded(model), instructions, checkpointWhen, maxTokens: 30_000 },
    tools: [...TOOLS, agentTool({ agent: helper, description: "Helps.", limits: { turns: 4 } })],
    hooks: [recall],
  });
  const log = async (id: string) => await Array.fromAsync(store.read(id));
  const lastStop = async () => ofType(await log("s1"), "run_ended").at(-1)?.data.stop.type ?? "none";
  const session: RefusedSession = {
    store,
    hasFiles: files !== undefined,
    knowledge: undefined,
    boot: (over = store) =>
      runtime({
        agents: [made],
        store: over,
        testing: { clock: { ...systemClock, now } },
        times: { abortGraceMs: 20, storeRetryMs: [], pollMs: 20, leaseTtlMs: 60 },
        onError: () => undefined,
        ...(files && { files }),
      }),
    send: async (pawl, input) =>
      (await pawl.run("tester", { ...user, sessionId: "s1", input }).result).stop.type,
    takeOver: async () => {
      const isOver = async () => ((await store.sessions.get("s1"))?.openRun ?? null) === null;
      if (!(await isOver())) {
        clock += 60_000;
        await session.boot().sweep();
        await until(isOver);
      }
      return await lastStop();
    },
    check: async (crashes) => {
      assert.deepEqual(small.rejected, []);
      const sessions = await store.sessions.list({ ...user, limit: 100 });
      const logs = await Promise.all(sessions.map(async ({ id }) => await log(id)));
      await assertRebuilds(logs, sent, files?.fill);
      for (const one of logs) {
        assertSoundLog(one);
        assertSnapshots(one);
        assertPrefixes(one);
        assertFewRequests(one, crashes);
        await assertPages(one);
        await assertViews(one);
      }
      assertNotSentAgain(api, crashes);
      return await log("s1");
    },
  };
  return session;
}

/** Asserts that each prefix but the first was stored with a checkpoint. */
function assertPrefixes(log: readonly StoredEvent[]): void {
  const first = log.findIndex(({ type }) => type === "prefix");
  for (const [index, { type, seq }] of log.entries())
    if (type === "prefix" && index > first)
      assert.equal(log[index - 1]?.type, "checkpoint", `the prefix ${seq} has no checkpoint`);
}

/** Asserts that no turn asks more than twice, except after a crash. */
function assertFewRequests(log: readonly StoredEvent[], crashes: number): void {
  let runId = "";
  const turns = new Map<string, number>();
  for (const event of log) {
    if (event.type === "run_started") runId = event.data.run_id;
    if (event.type !== "llm_request") continue;
    const turn = `${runId} ${event.data.turn}`;
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
  }
  for (const [turn, times] of turns) assert.ok(times <= 2 + crashes, `${turn} has asked ${times} times`);
}

/** Asserts that the view shows each checkpoint for refused content, in both ways in which it is made. */
async function assertViews(log: readonly StoredEvent[]): Promise<void> {
  const view = await foldView(log);
  assert.deepEqual(log.reduce(reduceView, newView()), view);
  const shown = view.messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "left_out" ? [part.by] : []));
  const stored = ofType(log, "checkpoint").flatMap(({ data: { refused } }) =>
    refused === undefined || refused.by === "signature" ? [] : [refused.by],
  );
  assert.deepEqual(shown.toSorted(), stored.toSorted());
}

/**
 * Asserts that no refused request is sent again, and no word that was refused: by a filter at most twice, in
 * the turn in which it came; by the model at most twice. A crash may lose a refusal.
 */
function assertNotSentAgain({ refused }: RefusingApi, crashes: number): void {
  const bodies = Map.groupBy(refused, ({ json }) => json);
  const repeated = [...bodies.values()].reduce((sum, all) => sum + all.length - 1, 0);
  assert.ok(
    repeated <= crashes,
    `${repeated} refused requests were sent again: ${refused.map(({ by }) => by)}`,
  );
  const times = new Map<string, number>();
  for (const { json, by } of refused) {
    if (by !== "filter" && by !== "model") continue;
    for (const word of new Set(json.match(/FORBIDDEN \d+/g))) times.set(word, (times.get(word) ?? 0) + 1);
  }
  for (const [word, count] of times) assert.ok(count <= 2 + crashes, `${word} was refused ${count} times`);
}

const value = z.object({ value: z.string() });

const read = tool({
  ...{ name: "read", description: "Reads.", input: value, idempotent: true, maxResultChars: 100_000 },
  execute: ({ value }) => "r".repeat(Number(value)),
});

let looked = 0;

const image = (data: Uint8Array | undefined): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: base64(data ?? new Uint8Array()) },
});

const TOOLS = [
  read,
  tool({
    ...{ name: "look", description: "Looks.", input: value, idempotent: true },
    execute: ({ value }) => {
      looked += 1;
      return `FORBIDDEN ${1_000_000 + looked} words of a page ${value}`;
    },
  }),
  tool({
    ...{ name: "list", description: "Lists.", input: value, idempotent: true, maxResultChars: 100_000 },
    execute: ({ value }) => value,
    format: (count) =>
      Array.from({ length: Number(count) / 40 }, (_, n) => ({ type: "text" as const, text: `Row ${n}` })),
  }),
  tool({
    ...{ name: "write", description: "Writes.", idempotent: true },
    input: z.object({ text: z.string(), rows: z.array(z.number()) }),
    execute: () => "Saved.",
  }),
  tool({
    ...{ name: "draw", description: "Draws.", input: value, idempotent: true },
    execute: ({ value }) => value,
    format: (names) =>
      String(names)
        .split("_")
        .map((name) => image(PICTURES[name])),
  }),
];
