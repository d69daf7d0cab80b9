import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Runtime, runtime } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import { bundled } from "../support/bundled.ts";
import { NODE_FLAGS } from "../support/node-flags.ts";
import { testDatabase } from "../support/postgres.ts";
import { walker } from "../support/walker.ts";
import { balancer } from "./balancer.ts";
import { freeAddresses, type RestateServer, restateServer } from "./restate-server.ts";

const file = new URL("./worker-process.ts", import.meta.url).pathname;

/** A database, a Restate server, a load balancer, some workers, and a process that takes messages. */
export interface Fleet {
  readonly store: ReturnType<typeof postgresStore>;
  readonly restate: RestateServer;
  readonly web: Runtime<"walker">;
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
    const start = async (address: string) => {
      undo.push(await startWorker(database.url, restate.ingress, address));
    };
    await Promise.all(addresses.map(start));
    const front = await balancer(addresses.map((address) => `http://${address}`));
    undo.push(() => front.close());
    const store = postgresStore(pool);
    const engine = restateEngine({ ingress: restate.ingress, onError: () => undefined });
    const web = runtime({ agents: [walker], store, engine, concurrency: 0, onError: () => undefined });
    undo.push(() => web.drain());
    await register(restate, front.url);
    return { store, restate, web, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Registers the workers at this URL with Restate. */
export async function register({ admin }: Pick<RestateServer, "admin">, uri: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers,
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Starts a process that works for the engine. Returns a function that kills it. */
async function startWorker(database: string, ingress: string, address: string): Promise<() => Promise<void>> {
  const args = [...NODE_FLAGS, await bundled(file), database, ingress, address.split(":")[1] ?? ""];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  child.stdout?.once("data", resolve);
  await Promise.race([ready, gone.then(([code]) => Promise.reject(new Error(`ended with ${code}`)))]);
  return async () => {
    child.kill("SIGKILL");
    await gone;
  };
}
