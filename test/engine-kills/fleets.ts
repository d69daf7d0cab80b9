import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventStore } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import type { WorkerFleet } from "@pawl/testing/kills";
import { balancer } from "../restate/balancer.ts";
import { register } from "../restate/fleet.ts";
import { freeAddresses, restateServer } from "../restate/restate-server.ts";
import { bundled } from "../support/bundled.ts";
import { NODE_FLAGS } from "../support/node-flags.ts";
import { pause } from "../support/pause.ts";
import { testDatabase } from "../support/postgres.ts";

const program = new URL("./worker-process.ts", import.meta.url).pathname;

/** Starts a worker's process with these arguments. */
async function startWorker(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const file = await bundled(program);
  return spawn(process.execPath, [...NODE_FLAGS, file, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** A fleet that a test has to close. */
export interface TestFleet extends WorkerFleet {
  close(): Promise<void>;
}

type Undo = (undo: () => Promise<unknown>) => void;

/** Returns a fleet without its `close`, which undoes what `make` has told it, in the reverse order. */
async function undone(make: (undo: Undo) => Promise<WorkerFleet>): Promise<TestFleet> {
  const steps: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of steps.splice(0).reverse()) await step();
  };
  try {
    return { ...(await make((step) => steps.push(step))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPostgres(undo: Undo): Promise<{ store: EventStore; url: string }> {
  const database = await testDatabase();
  undo(() => database.drop());
  const pool = database.pool({ max: 8 });
  await migrate(pool);
  return { store: postgresStore(pool), url: database.url };
}

/** Tries until the first worker listens. */
async function patiently(attempt: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 100) throw error;
      await pause(100, "between two attempts");
    }
  }
}

/** The fleets of all engines, by name. */
export const fleets = {
  /** No engine: the workers find runs and take them over by their sweeps. */
  sweeps: (leaseTtlMs: number) =>
    undone(async (undo) => {
      const { store, url } = await openPostgres(undo);
      return { store, leaseTtlMs, startWorker: (env) => startWorker(["none", url], env) };
    }),
  /** The same over a file that the processes share. */
  sqlite: (leaseTtlMs: number) =>
    undone(async (undo) => {
      const folder = await mkdtemp(join(tmpdir(), "pawl-kills-"));
      undo(() => rm(folder, { recursive: true }));
      const path = join(folder, "kills.db");
      const database = nodeSqlite(path);
      return {
        store: sqliteStore(database),
        leaseTtlMs,
        startWorker: (env) => startWorker(["sqlite", path], env),
      };
    }),
  pgBoss: (leaseTtlMs: number) =>
    undone(async (undo) => {
      const { store, url } = await openPostgres(undo);
      const own = pgBossEngine({ connectionString: url, onError: () => undefined });
      undo(() => own.close());
      const engine: Engine = own;
      return { store, engine, leaseTtlMs, startWorker: (env) => startWorker(["pg-boss", url], env) };
    }),
  restate: (leaseTtlMs: number) =>
    undone(async (undo) => {
      const { store, url } = await openPostgres(undo);
      const restate = await restateServer();
      undo(() => restate.remove());
      // Each worker has an address, also the one in whose place another one starts.
      const free = await freeAddresses(8);
      const front = await balancer(free.map((address) => `http://${address}`));
      undo(() => front.close());
      const engine: Engine = restateEngine({ ingress: restate.ingress, onError: () => undefined });
      let registered: Promise<void> | undefined;
      const start = async (env: Readonly<Record<string, string>>) => {
        const address = free.shift() ?? "";
        const port = address.split(":")[1] ?? "";
        const child = await startWorker(["restate", url, restate.ingress, port], env);
        child.once("exit", () => free.push(address));
        registered ??= patiently(() => register(restate, front.url));
        await registered;
        return child;
      };
      return { store, engine, leaseTtlMs, startWorker: start };
    }),
} as const satisfies Record<string, (leaseTtlMs: number) => Promise<TestFleet>>;
