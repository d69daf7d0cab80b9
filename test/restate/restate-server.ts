import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "../support/pause.ts";

/** The program of the Restate server, out of npm. `undefined` if npm has none for this machine. */
export const RESTATE: string | undefined = findProgram();

/** Why tests of Restate are skipped, if they are. */
export const NO_RESTATE: string = `npm has no Restate server for ${process.platform}-${process.arch}`;

/** A real Restate server. It writes only below the temp folder. */
export interface RestateServer {
  /** The URL of the ingress. */
  readonly ingress: string;
  /** The URL of the admin API. */
  readonly admin: string;
  /** Starts the server after `kill`, with the same data. {@link restateServer} returns it already started. */
  start(): Promise<void>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Ends the server and removes its files. */
  remove(): Promise<void>;
  /** Returns the rows of a query over the server's state. */
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/** Creates and starts a server of its own. `settings` are environment variables without `RESTATE_`. */
export async function restateServer(settings: Record<string, string> = {}): Promise<RestateServer> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-restate-"));
  const [ingressAt = "", adminAt = "", nodeAt = ""] = await freeAddresses(3);
  const [ingress, admin] = [`http://${ingressAt}`, `http://${adminAt}`];
  const own = {
    BASE_DIR: folder,
    NODE_NAME: "test",
    LISTEN_MODE: "tcp",
    BIND_ADDRESS: nodeAt,
    INGRESS__BIND_ADDRESS: ingressAt,
    ADMIN__BIND_ADDRESS: adminAt,
    ADMIN__DISABLE_WEB_UI: "true",
    DISABLE_TELEMETRY: "true",
    DEFAULT_NUM_PARTITIONS: "4",
    ROCKSDB_TOTAL_MEMORY_SIZE: "256MB",
    // It asks for newer versions of itself.
    LOG_FILTER: "error,octocrab=off",
    ...settings,
  };
  const named = Object.entries(own).map(([name, value]) => [`RESTATE_${name}`, value]);
  const env = { ...process.env, ...Object.fromEntries(named) };
  let server: ChildProcess | undefined;
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
  };
  const start = async () => {
    server = spawn(RESTATE ?? "", ["--no-logo"], { env, stdio: ["ignore", "ignore", "inherit"] });
    for (const url of [`${admin}/health`, `${ingress}/restate/health`]) await answer(url, server);
  };
  process.once("exit", kill);
  await start();
  return {
    ingress,
    admin,
    start,
    kill,
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
    query: async (query) => {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ query }) };
      const { rows } = (await (await fetch(`${admin}/query`, init)).json()) as { rows: [] };
      return rows;
    },
  };
}

async function answer(url: string, server: ChildProcess): Promise<void> {
  const endsAt = Date.now() + 30_000;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`Restate has ended with ${server.exitCode}.`);
    if (Date.now() > endsAt) throw new Error("Restate has not started within 30 s.");
    await pause(20, "between two attempts");
  }
}

/** Returns addresses of this machine with ports that are free. */
export async function freeAddresses(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports.map((port) => `127.0.0.1:${port}`);
}

/** Returns a port of this machine that is free. */
export async function freePort(): Promise<number> {
  const [address = ""] = await freeAddresses(1);
  return Number(address.split(":")[1]);
}

function findProgram(): string | undefined {
  try {
    const own = createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json");
    const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
    return createRequire(own).resolve(`${name}/bin/restate-server`);
  } catch {
    return undefined;
  }
}
