import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Runtime, runtime } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import { NODE_FLAGS } from "../support/node-flags.ts";
import { testDatabase } from "../support/postgres.ts";
import { balancer } from "./balancer.ts";
import { freeAddresses, type RestateServer, restateServer } from "./restate-server.ts";
import { wanderer } from "./wanderer.ts";

const file = new URL("./worker-process.ts", import.meta.url).pathname;

/** A process that works for the engine, at one of the fleet's addresses. */
export interface WorkerProcess {
  /** The sessions that the engine has given it, with the time. */
  readonly given: readonly { sessionId: string; at: number }[];
  /** How often it was refused because another worker has the lease. */
  readonly fenced: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  kill(): Promise<void>;
}

/** A database, a Restate server, a load balancer, some workers, and a process that takes messages. */
export interface Fleet {
  readonly store: ReturnType<typeof postgresStore>;
  readonly restate: RestateServer;
  readonly web: Runtime<"wanderer">;
  readonly workers: WorkerProcess[];
  /** Starts a worker in the place of one that was killed. */
  replace(index: number): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a fleet of `count` workers. */
export async function newFleet(count: number): Promise<Fleet> {
  const undo: (() => Promise<unknown>)[] = [];
  const remove = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const database = await testDatabase();
    undo.push(() => database.drop());
    const pool = database.pool();
    await migrate(pool);
    const restate = await restateServer();
    undo.push(() => restate.remove());
    const addresses = await freeAddresses(count);
    const start = async (index: number) => {
      const worker = await workerProcess(database.url, restate.ingress, addresses[index] ?? "");
      undo.push(() => worker.kill());
      return worker;
    };
    const workers = await Promise.all(addresses.map((_, index) => start(index)));
    const front = await balancer(addresses.map((address) => `http://${address}`));
    undo.push(() => front.close());
    const store = postgresStore(pool);
    const engine = restateEngine({ ingress: restate.ingress, onError: () => undefined });
    const web = runtime({ agents: [wanderer], store, engine, concurrency: 0, onError: () => undefined });
    undo.push(() => web.drain());
    await register(restate, front.url);
    const replace = async (index: number) => {
      workers[index] = await start(index);
    };
    return { store, restate, web, workers, replace, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function register({ admin }: RestateServer, uri: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers,
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function workerProcess(database: string, ingress: string, address: string): Promise<WorkerProcess> {
  const args = [...NODE_FLAGS, file, database, ingress, address.split(":")[1] ?? ""];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const given: { sessionId: string; at: number }[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let fenced = 0;
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "ready") resolve();
    else if (line === "fenced") fenced += 1;
    else given.push({ sessionId: line.replace("given ", ""), at: performance.now() });
  });
  await Promise.race([ready, gone.then(([code]) => Promise.reject(new Error(`ended with ${code}`)))]);
  return {
    given,
    get fenced() {
      return fenced;
    },
    signal: (name) => child.kill(name),
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
