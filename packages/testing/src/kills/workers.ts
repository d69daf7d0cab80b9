import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventStore } from "@pawl/core";
import type { Orphan, Records } from "./records.ts";

/** A worker's process. `resting`: it was thawed a moment ago and is left alone, so that it can do harm. */
interface Worker {
  readonly name: string;
  readonly process: ChildProcess;
  state: "starting" | "ready" | "frozen" | "resting" | "dead";
}

/** The processes of the workers. */
export interface Workers {
  /** Starts another worker. */
  start(): Promise<void>;
  /** Resolves once all workers have started that were not killed. Rejects if one takes too long. */
  untilReady(patienceMs: number): Promise<void>;
  /** Notes that a worker has started. */
  ready(name: string): void;
  /**
   * Kills a random worker that has sessions, and starts another one. Returns whether a run had to be taken
   * over: it may have ended at the same moment.
   */
  kill(): Promise<boolean>;
  /**
   * Freezes a random worker that has sessions, until they have been taken over and at least for `forMs`.
   * Returns whether one was taken over.
   */
  freeze(forMs: number, patienceMs: number, signal: AbortSignal): Promise<boolean>;
  /** Kills all workers. */
  close(): Promise<void>;
}

/** How long a thawed worker is left alone, in milliseconds. */
const REST_MS = 1_000;

/** How often to check whether the sessions of a lost worker still wait for another one, in milliseconds. */
const CHECK_MS = 100;

/** Makes an empty set of workers. `spawn` starts the process of the worker with this name. */
export function newWorkers(
  records: Records,
  store: EventStore,
  spawn: (name: string) => ChildProcess | Promise<ChildProcess>,
): Workers {
  const workers: Worker[] = [];
  const started = new Set<string>();
  let count = 0;
  let isOver = false;
  const start = async () => {
    count += 1;
    const name = `w${count}`;
    const worker: Worker = { name, process: await spawn(name), state: "starting" };
    // Its program may have started before the promise of its process resolved.
    if (started.has(name)) worker.state = "ready";
    workers.push(worker);
    worker.process.once("exit", (code, signal) => {
      if (worker.state !== "dead")
        records.faults.push(`the worker ${name} has ended by itself: ${code ?? signal}`);
      worker.state = "dead";
    });
    if (isOver) await end(worker);
  };
  const victim = (isFit = (_: Worker) => true): Worker | undefined => {
    // Another one must be there to take over: how long a process takes to start is not the engine's doing.
    if (workers.filter(({ state }) => state === "ready" || state === "resting").length < 2) return undefined;
    const ready = workers
      .filter(({ state, name }) => state === "ready" && (records.victimsOf(name)?.length ?? 0) > 0)
      .filter(isFit);
    return ready[Math.floor(Math.random() * ready.length)];
  };
  return {
    start,
    untilReady: async (patienceMs) => {
      const endsAt = performance.now() + patienceMs;
      const isStarting = () => workers.some(({ state }) => state === "starting");
      while (isStarting() && performance.now() < endsAt) await sleep(CHECK_MS);
      if (isStarting()) throw new Error(`A worker has not called start() within ${patienceMs} ms.`);
    },
    ready: (name) => {
      started.add(name);
      const worker = workers.find((one) => one.name === name);
      if (worker?.state === "starting") worker.state = "ready";
    },
    kill: async () => {
      const worker = victim();
      if (worker === undefined) return false;
      const isMissed = await kill(worker, records, store);
      void start().catch((error) => records.faults.push(`a worker has not started: ${error}`));
      return isMissed;
    },
    freeze: async (forMs, patienceMs, signal) => {
      // In the middle of a payment, so that its result comes too late.
      const worker = victim(({ name }) => records.paying.includes(name));
      const { length } = records.takeovers.freeze;
      if (worker !== undefined) await freeze(worker, records, store, { forMs, patienceMs, signal });
      return records.takeovers.freeze.length > length;
    },
    close: async () => {
      isOver = true;
      await Promise.all(workers.map(end));
    },
  };
}

/** Ends a worker's process. */
async function end(worker: Worker): Promise<void> {
  const { process } = worker;
  worker.state = "dead";
  if (process.exitCode !== null || process.signalCode !== null) return;
  const gone = once(process, "exit");
  process.kill("SIGKILL");
  await gone;
}

/** Kills a worker. Returns whether a run has to be taken over. */
async function kill(worker: Worker, records: Records, store: EventStore): Promise<boolean> {
  const { name } = worker;
  const { length } = records.takeovers.kill;
  records.orphan(name, "kill");
  await end(worker);
  await dropIdle(records, store, name);
  void sleep(CHECK_MS).then(() => dropIdle(records, store, name));
  const isWaiting = [...records.orphans.values()].some((orphan) => orphan.worker === name);
  return isWaiting || records.takeovers.kill.length > length;
}

/** Freezes a worker, and thaws it once its sessions have been taken over. */
async function freeze(
  worker: Worker,
  records: Records,
  store: EventStore,
  { forMs, patienceMs, signal }: { forMs: number; patienceMs: number; signal: AbortSignal },
): Promise<void> {
  const { name, process } = worker;
  worker.state = "frozen";
  const ids = records.orphan(name, "freeze");
  process.kill("SIGSTOP");
  const frozenAt = performance.now();
  const isDue = (ms: number) => performance.now() - frozenAt >= ms;
  const waiting = () => ids.filter((id) => records.orphans.get(id)?.worker === name);
  while (!signal.aborted && !isDue(patienceMs) && (waiting().length > 0 || !isDue(forMs))) {
    await sleep(CHECK_MS);
    await dropIdle(records, store, name);
  }
  const left = waiting();
  for (const id of left) records.orphans.delete(id);
  if (left.length > 0 && !signal.aborted)
    records.faults.push(`nobody took ${left} from ${name}, which was frozen for ${patienceMs} ms`);
  worker.state = "resting";
  process.kill("SIGCONT");
  await sleep(REST_MS);
  if (worker.state === "resting") worker.state = "ready";
}

/**
 * Forgets the sessions of a lost worker that wait for nobody: their run has ended or asks the user. What the
 * worker had sent to the store may still be stored after it was lost.
 */
async function dropIdle({ orphans }: Records, store: EventStore, worker: string): Promise<void> {
  const own = [...orphans].filter(([, orphan]) => orphan.worker === worker);
  await Promise.all(own.map(([id, orphan]) => dropIfIdle(orphans, store, id, orphan)));
}

async function dropIfIdle(
  orphans: Records["orphans"],
  store: EventStore,
  id: string,
  orphan: Orphan,
): Promise<void> {
  const session = await store.sessions.get(id).catch(() => undefined);
  if (session === undefined) return;
  const isIdle = session.openRun === null || (session.status === "suspended" && session.pending > 0);
  if (isIdle && orphans.get(id) === orphan) orphans.delete(id);
}
