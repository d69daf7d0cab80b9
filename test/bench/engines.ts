/**
 * `npm run bench engines`: runs over one Postgres, woken by each engine, with 1 to 4 workers. Prints a table.
 * `npm run bench engines 100 20` sets the runs and the sessions at a time. All workers share this process, so
 * that the numbers show what an engine costs, and not what more machines would bring. Two workers of Restate and
 * more are behind a load balancer, which is in this process too.
 */
import { randomUUID } from "node:crypto";
import { type Agent, agent, type EventStore, type Runtime, runtime, tool } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore, postgresTail } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";
import * as z from "zod";
import { balancer } from "../restate/balancer.ts";
import { register } from "../restate/fleet.ts";
import { freeAddresses, RESTATE, type RestateServer, restateServer } from "../restate/restate-server.ts";
import { pause } from "../support/pause.ts";
import { postgresServer } from "../support/postgres-server.ts";

const RUNS = Number(process.argv[2] ?? 100);
const AT_A_TIME = Number(process.argv[3] ?? 20);
const LATENCIES = 40;

/** When the model was asked about a session's answer, by the answer's text. */
const asked = new Map<string, number>();

const clerk: Agent<unknown, "clerk"> = agent({
  name: "clerk",
  instructions: "Help.",
  tools: [
    tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "seen" }),
    tool({ name: "ask", description: "Asks.", input: z.object({}), suspends: { answer: z.string() } }),
  ],
  model: scriptedModel(({ messages }) => {
    const all = JSON.stringify(messages);
    if (all.includes("question")) {
      const [answer] = /answer-[0-9a-f-]{36}/.exec(all) ?? [];
      if (answer === undefined) return { tools: [{ name: "ask", id: "toolu_ask", input: {} }] };
      asked.set(answer, performance.now());
      return { text: "Done." };
    }
    return messages.length === 1 ? { tools: [{ name: "look", input: {} }] } : { text: "Done." };
  }),
});

/** One process that takes requests, and what stops everything. */
interface Fleet {
  front: Runtime;
  stop(): Promise<void>;
}

type Make = (workers: number) => Promise<Fleet>;

const server = await postgresServer();
const db = new pg.Pool({ connectionString: server.url(), max: 20 });
db.on("error", () => undefined);
await migrate(db);
const store: EventStore = postgresStore(db);
const tail = postgresTail(db);
const restate: RestateServer | undefined = RESTATE === undefined ? undefined : await restateServer();

/** The process that takes a request runs it. */
const inProcess: Make = async () => {
  const front = runtime({ agents: [clerk], store, tail, concurrency: AT_A_TIME });
  return { front, stop: () => front.drain() };
};

/** A front without places, and workers with `AT_A_TIME` places together. */
const withEngine =
  (make: (at: number) => Engine & { close(): Promise<void> }): Make =>
  async (workers) => {
    const engines = Array.from({ length: workers + 1 }, (_, at) => make(at));
    const [atFront, ...others] = engines;
    if (atFront === undefined) throw new Error("There is no engine.");
    const shared = { agents: [clerk], store, tail };
    const front = runtime({ ...shared, engine: atFront, concurrency: 0 });
    const concurrency = Math.ceil(AT_A_TIME / workers);
    const working = others.map((engine) => runtime({ ...shared, engine, concurrency }));
    for (const worker of working) worker.start();
    await pause(2_000, "Restate knows a worker once it is registered");
    return {
      front,
      stop: async () => {
        await Promise.all([front, ...working].map((one) => one.drain()));
        await Promise.all(engines.map((engine) => engine.close()));
      },
    };
  };

const pgBoss = withEngine(() => pgBossEngine({ connectionString: server.url(), sameDatabase: true }));

/** The engine at 0 belongs to the front, which takes no calls. */
const overRestate =
  ({ ingress, admin }: RestateServer): Make =>
  async (workers) => {
    const addresses = await freeAddresses(workers);
    const engineAt = (at: number) => {
      const [, port] = addresses[at - 1]?.split(":") ?? [];
      if (port === undefined) return restateEngine({ ingress });
      return restateEngine({ ingress, port: Number(port), ...(workers === 1 && { admin }) });
    };
    const { front, stop } = await withEngine(engineAt)(workers);
    if (workers === 1) return { front, stop };
    const balanced = await balancer(addresses.map((address) => `http://${address}`));
    await register({ admin }, balanced.url);
    return { front, stop: () => stop().finally(() => balanced.close()) };
  };

const cases: [name: string, make: Make, workers: number[]][] = [
  ["in the process", inProcess, [1]],
  ["pg-boss", pgBoss, [1, 2, 4]],
  ...(restate === undefined
    ? []
    : [["Restate", overRestate(restate), [1, 2, 4]] satisfies (typeof cases)[number]]),
];
console.log(
  "| engine | workers | runs/s | ratio | answer stored → model asked, p50 | p95 |\n| --- | --- | --- | --- | --- | --- |",
);
let baseline = 0;
for (const [name, make, counts] of cases) {
  for (const workers of counts) {
    const fleet = await make(workers);
    await runAll(fleet.front, AT_A_TIME);
    const rate = await runAll(fleet.front, RUNS);
    if (baseline === 0) baseline = rate;
    const ms = await latencies(fleet.front);
    const at = (share: number) => (ms[Math.floor(ms.length * share)] ?? 0).toFixed(1);
    console.log(
      `| ${name} | ${workers} | ${rate.toFixed(0)} | ${(rate / baseline).toFixed(2)} | ${at(0.5)} ms | ${at(0.95)} ms |`,
    );
    await fleet.stop();
  }
}
await tail.close();
await db.end();
await server.remove();
await restate?.remove();
process.exit();

/** Runs sessions of two turns with a tool. Returns the runs per second. */
async function runAll(front: Runtime, count: number): Promise<number> {
  const began = performance.now();
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const { stop } = await front.run("clerk", { userId: randomUUID(), input: "Look." }).result;
      if (stop.type !== "end_turn") throw new Error(`A run ended with ${stop.type}.`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, one));
  return (count * 1_000) / (performance.now() - began);
}

/** Answers questions one after the other. Returns the sorted times from the stored answer to the model. */
async function latencies(front: Runtime): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < LATENCIES; n += 1) {
    const userId = randomUUID();
    const { sessionId } = await front.run("clerk", { userId, input: "question" }).result;
    const value = `answer-${randomUUID()}`;
    const run = front.run("clerk", { userId, sessionId, answers: [{ callId: "toolu_ask", value }] });
    await run.started;
    const stored = performance.now();
    await run.result;
    found.push(Math.max(0, (asked.get(value) ?? Number.NaN) - stored));
  }
  return found.sort((a, b) => a - b);
}
