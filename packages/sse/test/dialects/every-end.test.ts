import { type Hook, type ModelClient, memoryStore, tool } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";
import { newView, reduceView } from "@pawl/core/view";
import { type Reply, strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { pause } from "../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { confirm, eventsOf, look, type Served, serve, until } from "../support/served.ts";

/** What a response tells: words for the user, and the reason in the protocol's own field if it has one. */
interface Told {
  words: string;
  reason?: unknown;
}

/** Session id of the logs that a test writes. */
const CUT_OFF = "cut-off";

type Frame = { [field: string]: string | undefined };

interface Spoken {
  dialect: Dialect;
  json: object;
  told(frames: readonly Frame[]): Told;
  /** The reason that must be told for an end. */
  reason(end: Pick<End, "type" | "failed" | "how">): unknown;
}

const FINISH = new Map([
  ["max_tokens", "length"],
  ["refusal", "content-filter"],
]);

const CONTEXT_END = "model_context_window_exceeded";

const joined = (frames: readonly Frame[], field: string) => frames.map((one) => one[field] ?? "").join("");

const spoken: { [name: string]: Spoken } = {
  native: {
    dialect: native(),
    json: { input: "Hi", clientMessageId: "m1" },
    told: (frames) => {
      const view = frames.reduce((before, event) => reduceView(before, event as never), newView());
      const parts = view.messages.flatMap((message) => message.parts);
      const words = parts.map((part) => (part.type === "notice" || part.type === "text" ? part.text : ""));
      return { words: words.join(""), reason: view.run?.stop?.type };
    },
    reason: ({ type }) => type,
  },
  "AI SDK": {
    dialect: aiSdk(),
    json: {
      id: "c1",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    },
    told: (frames) => {
      const reason = frames.at(-1)?.finishReason ?? frames.at(-1)?.type;
      return { words: joined(frames, "delta") + joined(frames, "errorText"), reason };
    },
    reason: ({ type, failed }) => (failed ? "error" : (FINISH.get(type) ?? "other")),
  },
  "AG-UI": {
    dialect: agUi(),
    json: {
      threadId: "t1",
      runId: "r1",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Hi" }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
    told: (frames) => {
      const texts = frames.filter(({ type }) => /^TEXT_MESSAGE|^RUN_ERROR/.test(type ?? ""));
      const last = frames.at(-1) as { code?: string; metadata?: { pawl: { stop: string } } } | undefined;
      const reason = last?.code ?? last?.metadata?.pawl.stop;
      return { words: joined(texts, "delta") + joined(texts, "message"), reason };
    },
    reason: ({ type }) => type,
  },
  coach: {
    dialect: coach(),
    json: { message: "Hi" },
    told: (frames) => ({ words: joined(frames, "text") + joined(frames, "error") }),
    reason: () => undefined,
  },
  trainer: {
    dialect: trainer(),
    json: { message: "Hi" },
    told: (frames) => ({ words: joined(frames, "message"), reason: frames.at(-1)?.type }),
    reason: () => "error",
  },
  "ASP v2": {
    dialect: asp(),
    json: { message: "Hi" },
    told: (frames) => ({
      words: joined(frames, "text") + joined(frames, "message"),
      reason: frames.at(-1)?.stop_reason ?? frames.at(-1)?.type,
    }),
    reason: ({ type, failed }) => (failed ? "error" : type),
  },
  metrics: {
    dialect: metrics(),
    json: { message: "Hi" },
    told: (frames) => ({
      words: joined(frames, "text") + joined(frames, "message"),
      reason: frames.at(-1)?.code ?? frames.at(-1)?.type,
    }),
    // Text that was sent cannot be taken back, so only an error can correct it.
    reason: ({ type, failed, how }) => (failed || how === "after text" ? type : "done"),
  },
};

interface End {
  type: string;
  how: string;
  /** Whether the run failed, so that dialects with an event for errors send one. */
  failed: boolean;
  script: Reply[];
  hooks?: Hook[];
}

const stopping = (type: string): Hook => ({
  name: "guard",
  beforeRun: () => ({ stop: { type, message: "Your plan does not include this." } }),
});
/** Pauses after each piece of an answer, so that text is sent as it is written. */
const paced = (model: ModelClient): ModelClient => ({
  ...model,
  stream: async function* (...given) {
    for await (const part of model.stream(...given)) {
      yield part;
      if (part.type === "content_block_delta") {
        await pause(30, "longer than a stream collects text, so that it is sent as it is written");
      }
    }
  },
});
const broken = tool({
  name: "broken",
  description: "Always fails.",
  input: z.object({ n: z.number() }),
  execute: () => {
    throw new Error("no");
  },
});
const failing = (n: number): Reply => ({ tools: [{ name: "broken", input: { n } }] });
const paused: Reply = { text: "So", stop: "pause_turn" };
const clippedCall: Reply = { tools: [{ name: "look", input: { what: "all" } }], clip: 6 };

const answers: End[] = [
  {
    type: "max_tokens",
    how: "in a text",
    failed: false,
    script: [{ text: "This is cut off here", clip: 10 }],
  },
  { type: "max_tokens", how: "in a call", failed: false, script: [clippedCall] },
  { type: "refusal", how: "after text", failed: false, script: [{ text: "I will tell", stop: "refusal" }] },
  {
    type: "refusal",
    how: "at once",
    failed: false,
    script: [{ thinking: "Hm.", text: "", stop: "refusal" }],
  },
  { type: "context_window", how: "", failed: true, script: [{ text: "So", stop: CONTEXT_END }] },
  { type: "circuit_open", how: "", failed: true, script: [failing(1), failing(2)] },
  { type: "pause_limit", how: "", failed: true, script: Array.from({ length: 6 }, () => paused) },
  { type: "error", how: "of a new kind", failed: true, script: [{ text: "So", stop: "some_future_reason" }] },
];
const hooked: End[] = [
  { type: "blocked", how: "by a hook", failed: false, script: [], hooks: [stopping("blocked")] },
  {
    type: "closed_today",
    how: "of the app's own",
    failed: false,
    script: [],
    hooks: [stopping("closed_today")],
  },
];

const rows = Object.keys(spoken).flatMap((name) => [...answers, ...hooked].map((end) => ({ name, ...end })));

it.each(rows)("L8 L18 W2 $name tells its user of $type $how", async ({ name, ...end }) => {
  const { dialect, json, told, reason } = spoken[name] as Spoken;
  if (end.type === "error")
    expectPrinted("pawl: The model stopped for an unknown reason: some_future_reason");
  const model = strictModel({ script: end.script });
  // Its row is about text that was sent before the end was known.
  const world = await serve(name === "metrics" ? paced(model) : model, {
    dialect,
    tools: [look, broken],
    hooks: end.hooks ?? [],
  });
  const first = told(await framesOf(await world.ask("/runs", { json })));
  const { sessionId, stop } = await ended(world);
  expect(model.rejected).toEqual([]);
  expect(stop).toEqual({ type: end.type, message: expect.stringMatching(/\w/) });
  // Words for a user, without names out of the API.
  expect(stop.message).not.toContain("_");
  expect(first.words.split(stop.message)).toHaveLength(2);
  expect(first.words).not.toContain("reload");
  expect(first.reason).toBe(reason(end));
  // A page that comes back is told the same.
  const path = name === "native" ? `/sessions/${sessionId}` : `/runs/${sessionId}/stream`;
  expect(await (await world.ask(path)).text()).toContain(stop.message);
});

it.each(Object.keys(spoken))(
  "L8 L1 %s tells its user that the session was over when a tool asked",
  async (name) => {
    const { dialect, json, told, reason } = spoken[name] as Spoken;
    const store = memoryStore();
    const closing = tool({
      name: "close",
      description: "Completes the session.",
      input: z.object({}),
      execute: async (_, { sessionId }) => {
        const append = { appendId: crypto.randomUUID(), session: { status: "completed" as const } };
        await store.append(sessionId, [{ type: "app.closed", data: {} }], append);
      },
    });
    const script: Reply[] = [
      { tools: [{ name: "close" }] },
      { tools: [{ name: "confirm", input: { question: "Sure?" } }] },
    ];
    const world = await serve(strictModel({ script }), { dialect, store, tools: [confirm, closing] });
    const first = told(await framesOf(await world.ask("/runs", { json })));
    const { stop } = await ended(world);
    expect(stop).toEqual({ type: "session_over", message: "This session has been completed." });
    expect(first.words.split(stop.message)).toHaveLength(2);
    expect(first.reason).toBe(reason({ type: stop.type, failed: false, how: "" }));
  },
);

it.each(Object.keys(spoken))("L8 L1 %s tells its user of a run that a crash cut off", async (name) => {
  const { dialect, told, reason } = spoken[name] as Spoken;
  const store = await cutOffLog();
  const world = await serve(strictModel({ script: [] }), { dialect, store });
  // The native stream follows the session, so it never ends.
  const isOver = ({ type }: { type: string }) => type === "run_ended";
  const frames =
    name === "native"
      ? await until(eventsOf(await world.ask(`/sessions/${CUT_OFF}/stream`)), isOver)
      : await framesOf(await world.ask(`/runs/${CUT_OFF}/stream`));
  const first = told(frames as unknown as Frame[]);
  const { stop } = await ended(world);
  expect(stop).toEqual({ type: "broken_off", message: "My answer was interrupted." });
  // The trainer's clients get no text of the model.
  if (name !== "trainer") expect(JSON.stringify(frames)).toContain("A long answer");
  expect(first.words.split(stop.message)).toHaveLength(2);
  expect(first.reason).toBe(reason({ type: stop.type, failed: false, how: "" }));
});

/** A store as a process leaves it that dies after it has stored a part of an answer, before it ends the run. */
async function cutOffLog() {
  const slow = { text: "A long answer that takes its time.", deltas: 34, delayPerEventMs: 20 };
  const before = await serve(strictModel({ script: [slow] }));
  const run = before.runtime.run("coach", { userId: "ada", input: "Hi" });
  let told = "";
  for await (const text of run.textStream) {
    told += text;
    if (told.startsWith("A long answer")) break;
  }
  const { sessionId, runId: openRun } = await run.started;
  await before.runtime.stop(sessionId, { userId: "ada" });
  await run.result;
  const events = await Array.fromAsync(before.store.read(sessionId));
  const kept = events.filter(({ type }) => type !== "stop_requested" && type !== "run_ended");
  const store = memoryStore();
  await store.sessions.create({ id: CUT_OFF, userId: "ada", agent: "coach" });
  await store.append(CUT_OFF, kept as NewEvent[], { appendId: "a1", session: { openRun } });
  return store;
}

async function framesOf(response: Response): Promise<Frame[]> {
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

async function ended({ store }: Served) {
  const [session] = await store.sessions.list({ userId: "ada" });
  const events = await Array.fromAsync(store.read(session?.id ?? ""));
  const last = events.findLast((event) => event.type === "run_ended");
  if (last === undefined) throw new Error("The run has not ended.");
  return { sessionId: last.sessionId, stop: last.data.stop };
}
