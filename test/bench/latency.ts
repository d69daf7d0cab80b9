/**
 * `npm run bench latency`: how long users wait. A process serves an agent over HTTP, and this process plays
 * the users and the model, which sends its first word after 30 ms and 19 others, 15 ms apart. Measures how
 * long after a user's request the model has it, and how long after the model's first word the user has that.
 * One run at a time, and 100 at once. Prints a table. `npm run bench latency 5` sets the rounds.
 */
import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serverProcess } from "../support/server-process.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const STORES = ["memory", "sqlite", "sqlite-alone"];
const LOADS = [
  { what: "one at a time", runs: 40, atOnce: 1 },
  { what: "100 at once", runs: 1_500, atOnce: 100 },
];
const FIRST_WORD_MS = 30;
const NEXT_WORD_MS = 15;
const WORDS = 20;

/** When things happened in a run, in milliseconds. */
interface Times {
  asked: number;
  atModel: number;
  firstWord: number;
}

/** What the server has used so far. */
interface Stats {
  cpuMs: number;
  commits: number;
}

/** The milliseconds of each run, and what the server has used in all of them. */
interface Measured extends Stats {
  toModel: number[];
  toUser: number[];
}

const connections = new Agent({ keepAlive: true });
/** The runs in progress, by the text of their messages. */
const runs = new Map<string, Times>();
const model = createServer(async (incoming, response) => {
  const atModel = performance.now();
  const times = runs.get(/run-\d+/.exec(await textOf(incoming))?.[0] ?? "");
  if (times === undefined) throw new Error("Nobody asked for this run.");
  times.atModel = atModel;
  setTimeout(answer, FIRST_WORD_MS, response, times);
});
await once(model.listen(0, "127.0.0.1"), "listening");
const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;

const all = new Map<string, Measured[]>();
for (let round = 0; round < ROUNDS; round += 1) for (const store of STORES) await measure(store);
console.log("| store | runs | to the model, p50 | p95 | first word, p50 | p95 | CPU of a run | commits |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const [name, rounds] of all) row(name, rounds);
process.exit();

async function measure(store: string): Promise<void> {
  const server = await serverProcess("./latency-server.ts", [store, modelUrl]);
  await server.start();
  try {
    // The first runs are not counted: the process still loads and compiles.
    await played(server.port, 200, 20);
    for (const { what, runs: count, atOnce } of LOADS) {
      const name = `${store} | ${what}`;
      all.set(name, [...(all.get(name) ?? []), await played(server.port, count, atOnce)]);
    }
  } finally {
    await server.kill();
  }
}

/** Prints the numbers of all rounds together. */
function row(name: string, rounds: readonly Measured[]): void {
  const cells = [rounds.flatMap(({ toModel }) => toModel), rounds.flatMap(({ toUser }) => toUser)]
    .flatMap((times) => [quantile(times, 0.5), quantile(times, 0.95)])
    .map((ms) => `${ms.toFixed(1)} ms`);
  const count = rounds.reduce((sum, { toModel }) => sum + toModel.length, 0);
  const cpu = rounds.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / count;
  const commits = rounds.reduce((sum, one) => sum + one.commits, 0) / count;
  console.log(`| ${[name, ...cells, `${cpu.toFixed(1)} ms`, commits.toFixed(2)].join(" | ")} |`);
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

/** Plays so many runs, `atOnce` at a time. */
async function played(port: number, count: number, atOnce: number): Promise<Measured> {
  const toModel: number[] = [];
  const toUser: number[] = [];
  const before = await stats(port);
  let left = count;
  const user = async () => {
    while (left > 0) {
      left -= 1;
      const { asked, atModel, firstWord, seen } = await oneRun(port, `run-${left}`);
      toModel.push(atModel - asked);
      toUser.push(seen - firstWord);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, user));
  const after = await stats(port);
  const used = { cpuMs: after.cpuMs - before.cpuMs, commits: after.commits - before.commits };
  return { toModel, toUser, ...used };
}

async function oneRun(port: number, input: string): Promise<Times & { seen: number }> {
  const times: Times = { asked: performance.now(), atModel: 0, firstWord: 0 };
  runs.set(input, times);
  const headers = { "content-type": "application/json" };
  const sent = request({ port, path: "/runs", method: "POST", headers, agent: connections });
  sent.end(JSON.stringify({ input }));
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (response === undefined) throw new Error("There is no response.");
  let seen: number | undefined;
  const text = await textOf(response, (soFar) => {
    if (seen === undefined && soFar.includes("word-0")) seen = performance.now();
  });
  runs.delete(input);
  if (seen === undefined || !text.includes("run_ended")) throw new Error(`The run failed: ${text}`);
  return { ...times, seen };
}

async function stats(port: number): Promise<Stats> {
  const [response]: IncomingMessage[] = await once(get({ port, path: "/stats" }), "response");
  return JSON.parse(response === undefined ? "" : await textOf(response)) as Stats;
}

/** Reads a text. `read` is called with the text so far. */
async function textOf(from: IncomingMessage, read?: (soFar: string) => void): Promise<string> {
  let text = "";
  for await (const chunk of from.setEncoding("utf8")) {
    text += chunk;
    read?.(text);
  }
  return text;
}

/** Sends the model's answer, word by word. */
function answer(response: ServerResponse, times: Times): void {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [],
  };
  send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  let words = 0;
  const next = () => {
    if (words === 0) times.firstWord = performance.now();
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: `word-${words} ` } });
    words += 1;
    if (words < WORDS) return void setTimeout(next, NEXT_WORD_MS);
    send("content_block_stop", { index: 0 });
    send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
    send("message_stop", {});
    response.end();
  };
  next();
}
