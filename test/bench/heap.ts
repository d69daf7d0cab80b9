/**
 * `npm run bench heap`: measures what a session keeps in the JavaScript heap of a process: idle, idle with a
 * reader, and while it runs. The log is outside of the heap. `npm run bench heap 2000` sets how many idle
 * sessions there are; default 10,000.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { agent, type ModelClient, runtime, tool } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import * as z from "zod";
import { offHeapStore } from "../support/off-heap-store.ts";
import { pause } from "../support/pause.ts";
import { until } from "../support/until.ts";

const IDLE = Number(process.argv[2] ?? 10_000);
const RUNNING = Math.min(500, IDLE);
const WORDS = "A sentence of an answer, as a model writes it. ".repeat(10);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let hangs = 0;
const model: ModelClient = { id: "counted", stream };
const clerk = agent({
  name: "clerk",
  model,
  instructions: "You answer in a sentence. ".repeat(40),
  tools: [
    tool({
      name: "look_up",
      description: "Looks a word up",
      input: z.object({ word: z.string() }),
      execute: ({ word }) => `${word}: ${WORDS}`,
    }),
  ],
});
const store = offHeapStore();
const pawl = runtime({ agents: [clerk], store });

// The progress goes to stderr, so that stdout is the table alone.
console.error(`Storing ${IDLE} idle sessions`);
await inTurns(names("warm", 50), begin);
const nothing = await heap();
await inTurns(names("idle", IDLE), begin);
const idle = await heap();
console.error(`Starting ${IDLE} readers, and a run in each of their sessions`);
const readers = names("idle", IDLE).map((id) => read(id));
await Promise.all(readers.map(({ isIdle }) => isIdle));
const withReaders = await heap();
await inTurns(names("idle", IDLE), (id) => send(id));
await pause(2_500, "readers forget what they have read");
const afterRun = await heap();
console.error(`Starting ${RUNNING} runs that stop in the middle`);
await inTurns(names("run", RUNNING), (id) => store.sessions.create({ id, userId: "ada", agent: "clerk" }));
const running = names("run", RUNNING).map((id) => {
  void send(id, "hang");
  return read(id);
});
await until(() => hangs === RUNNING);
await pause(500, "what runs has come to its last step");
const whileRunning = await heap();

console.log("| a session | bytes in the heap | goal |\n| --- | ---: | ---: |");
row(`idle, of ${IDLE} (what this store keeps of it)`, (idle - nothing) / IDLE, "2,000");
row("idle, more with a reader", (withReaders - idle) / IDLE, "2,000");
row("idle, more with a reader that has followed a run", (afterRun - idle) / IDLE, "2,000");
row(`running, with a reader, of ${RUNNING}`, (whileRunning - afterRun) / RUNNING, "60,000");
console.log(
  `\n${readers.length + running.length} readers at the end: of ${readers.length} idle sessions and ${running.length} running ones`,
);
process.exit(0);

function row(what: string, bytes: number, goal: string): void {
  console.log(`| ${what} | ${Math.round(bytes).toLocaleString("en")} | ${goal} |`);
}

/** Returns the bytes in use in the heap after garbage collections. */
async function heap(): Promise<number> {
  let used = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    await pause(50, "what is left over can be collected");
    collect();
    used = Math.min(used, process.memoryUsage().heapUsed);
  }
  return used;
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
}

async function inTurns(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += 50) await Promise.all(ids.slice(at, at + 50).map(work));
}

async function send(sessionId: string, input = "Look up a word."): Promise<unknown> {
  return await pawl.run("clerk", { sessionId, userId: "ada", input }).result;
}

async function begin(id: string): Promise<unknown> {
  await store.sessions.create({ id, userId: "ada", agent: "clerk" });
  return await send(id);
}

/** Follows a session without an end. `isIdle` resolves once the reader has seen the end of a run. */
function read(sessionId: string): { isIdle: Promise<void> } {
  const { promise: isIdle, resolve } = Promise.withResolvers<void>();
  void (async () => {
    for await (const { type } of pawl.follow(sessionId)) if (type === "run_ended") resolve();
  })();
  return { isIdle };
}

/** Makes one call, then answers. In a run that hangs, the answer stops in the middle. */
async function* stream({ messages }: Parameters<ModelClient["stream"]>[0]): AsyncGenerator<ModelEvent> {
  const last = messages.at(-1)?.content ?? [];
  const isAnswer = last.some(({ type }) => type === "tool_result");
  yield { type: "message_start", message: { id: "m", model: "counted", usage: { input_tokens: 9 } } };
  const block = isAnswer
    ? { type: "text" as const, text: "" }
    : { type: "tool_use" as const, id: `call_${messages.length}`, name: "look_up", input: { word: "sun" } };
  yield { type: "content_block_start", index: 0, content_block: block };
  if (isAnswer) yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: WORDS } };
  if (isAnswer && JSON.stringify(messages).includes('"hang"')) {
    hangs += 1;
    await new Promise(() => undefined);
  }
  yield { type: "content_block_stop", index: 0 };
  const stop_reason = isAnswer ? "end_turn" : "tool_use";
  yield { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } };
  yield { type: "message_stop" };
}
