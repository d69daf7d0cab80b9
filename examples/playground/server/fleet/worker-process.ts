import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PawlError } from "@pawl/core";
import type { WorkerState } from "../../web/fleet/fleet-view.ts";
import { type WorkerMetrics, workerMetrics } from "./metrics.ts";
import { FREEZE, type WorkerSettings } from "./settings.ts";

/** How long a worker may take to answer, in milliseconds. */
const ANSWER_MS = 400;
/** How long a worker that is stopped may take to finish its turns, in seconds. */
const DRAIN_S = 5;
/** The variables that a worker gets. It needs no key, so it has none. */
const PASSED: ReadonlySet<string> = new Set(["PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "NODE_COMPILE_CACHE"]);

/** What a worker answers. */
interface Answer {
  /** Whether `/readyz` says so. */
  ready: boolean;
  metrics: WorkerMetrics;
}

/** A process of `pawl worker`. */
export interface WorkerProcess {
  readonly name: string;
  readonly state: WorkerState;
  readonly isAlive: boolean;
  /** Where its health and metrics are; `undefined` until it works. */
  readonly port: number | undefined;
  /** The last line that it wrote to stderr, or the last one about an error. */
  readonly lastWords: string;
  /** The metrics that were read last. */
  readonly last: WorkerMetrics | undefined;
  /** Asks for its health and reads its metrics. `undefined` if it does not answer. */
  ask(): Promise<Answer | undefined>;
  /** Lets it finish its turns. */
  stop(): void;
  kill(): void;
  freeze(): void;
  thaw(): void;
  readonly exited: Promise<void>;
}

/** Returns the file of the command `pawl`. @throws PawlError `not_found` if it is not built */
export function builtCommand(): string {
  const manifest = createRequire(import.meta.url).resolve("@pawl/cli/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const file = join(dirname(manifest), bin.pawl);
  if (!existsSync(file))
    throw new PawlError("not_found", "The command `pawl` is not built. Run npm run build, and try again.");
  return file;
}

/** Starts a worker. It ends with this process, however that ends. */
export function startWorker(command: string, settings: WorkerSettings): WorkerProcess {
  const child = spawned(command, settings);
  let state: WorkerState = "starting";
  let last: WorkerMetrics | undefined;
  let guard: ChildProcess | undefined;
  const heard = listen(child, () => {
    if (state === "starting") state = "ready";
  });
  const exited = endOf(child).then((error) => {
    if (error !== undefined) heard.lastWords = error.message;
    if (state !== "killed") state = state === "stopping" ? "stopped" : "failed";
    guard?.stdin?.end();
  });
  return {
    name: settings.name,
    get state() {
      return state;
    },
    get isAlive() {
      return !HAS_ENDED.has(state);
    },
    get port() {
      return heard.port;
    },
    get lastWords() {
      return heard.lastWords;
    },
    get last() {
      return last;
    },
    ask: async () => {
      const answer = heard.port === undefined || HAS_ENDED.has(state) ? undefined : await asked(heard.port);
      last = answer?.metrics ?? last;
      return answer;
    },
    stop: () => {
      state = "stopping";
      child.kill("SIGTERM");
    },
    kill: () => {
      state = "killed";
      child.kill("SIGKILL");
    },
    freeze: () => {
      state = "frozen";
      guard = guardOf(child.pid);
      child.send(FREEZE, () => undefined);
    },
    thaw: () => {
      state = "ready";
      guard?.stdin?.end();
    },
    exited,
  };
}

const HAS_ENDED: ReadonlySet<WorkerState> = new Set(["stopped", "killed", "failed"]);

/** Resolves at the end of a process. To the error, if it was not started at all. */
async function endOf(child: ChildProcess): Promise<Error | undefined> {
  try {
    await once(child, "exit");
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Reads what a worker prints. Calls `onReady` when its port is known. */
function listen(child: ChildProcess, onReady: () => void): { port: number | undefined; lastWords: string } {
  const heard = { port: undefined as number | undefined, lastWords: "" };
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (heard.port !== undefined) return;
    printed += text;
    const port = /; port (\d+) /.exec(printed)?.[1];
    if (port === undefined) return;
    heard.port = Number(port);
    onReady();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = text.trim().split("\n");
    heard.lastWords = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "";
  });
  return heard;
}

/** Asks a worker for its health and its metrics. */
async function asked(port: number): Promise<Answer | undefined> {
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  try {
    const [health, metrics] = await Promise.all([get("/readyz"), get("/metrics")]);
    return { ready: health.ok, metrics: workerMetrics(await metrics.text()) };
  } catch {
    return undefined;
  }
}

function spawned(command: string, settings: WorkerSettings): ChildProcess {
  const args = ["--port", "0", "--host", "127.0.0.1", "--drain-timeout", String(DRAIN_S)];
  // From the sources, workers use the sources too.
  const flags = process.execArgv.filter((flag) => flag.startsWith("--conditions="));
  const env = Object.fromEntries(
    // On Windows, names may be in lower case.
    Object.entries(process.env).filter(([name]) => PASSED.has(name.toUpperCase())),
  );
  return spawn(
    process.execPath,
    [...flags, command, "worker", join(import.meta.dirname, "worker.ts"), ...args],
    {
      env: { ...env, FLEET: JSON.stringify(settings) },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
}

/**
 * Starts a shell that thaws a process once its own input ends: when it is told to, or when this process has
 * died. A frozen process cannot notice that itself.
 */
function guardOf(pid: number | undefined): ChildProcess {
  const guard = spawn("sh", ["-c", 'read -r _; kill -CONT "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    // A Ctrl+C in the terminal is for the server.
    detached: true,
  });
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  return guard;
}
