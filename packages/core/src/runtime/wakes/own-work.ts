import { type Clock, every } from "../../base/clock.ts";
import { withinDeadline } from "../../base/deadline.ts";
import type { EngineWorker } from "../../engine/engine.ts";
import { trackBegin } from "../begin/beginning.ts";
import { lazyEngine } from "../later/lazy-engine.ts";
import type { Host } from "../leg/host.ts";
import { cancelWakes } from "./wake.ts";

/** Recovers every run that no process is working on. Returns the number of runs that this call recovered. */
export function sweepOnce(host: Host, options: { wait?: boolean } = {}): Promise<number> {
  return trackBegin(
    host,
    loadSweeps().then(({ sweep }) => sweep(host, options)),
  );
}

/** Loads the code of sweeps. It is not loaded at the start, because only servers sweep. */
const loadSweeps = () => import("../later/index.ts");

/** The background work of a process: sweeps, and the sessions that its engine wakes. */
interface OwnWork {
  /**
   * Sweeps at once and then once per lease time, and serves the engine. `concurrency` is the limit of a
   * runtime without this option.
   */
  start(concurrency?: number): void;
  /** Continues the sessions that the engine wakes, without sweeps. */
  serveEngine(): void;
  /** Takes no more work. Resolves once the engine's worker has stopped. */
  stop(): Promise<void>;
}

/** Makes the background work of a process. The timer of its sweeps does not keep the process alive. */
export function ownWork(host: Host): OwnWork {
  let cancelSweeps: (() => void) | undefined;
  let worker: Promise<EngineWorker> | undefined;
  const sweepAndServe = () => {
    serveEngine();
    void sweepOnce(host).catch(host.report);
  };
  const serveEngine = () => {
    const { engine, slots } = host;
    if (worker !== undefined || engine === undefined || slots.most === 0) return;
    const starting = engine.work(
      (woken) =>
        trackBegin(
          host,
          loadSweeps().then(({ continueWoken }) => continueWoken(host, woken)),
        ),
      { concurrency: slots.most },
    );
    worker = starting;
    starting.catch((error: unknown) => {
      host.report(error);
      // The next sweep tries again.
      if (worker === starting) worker = undefined;
    });
  };
  return {
    serveEngine,
    start: (concurrency) => {
      if (cancelSweeps !== undefined) return;
      if (concurrency && !host.hasLimit) limitRuns(host, concurrency);
      host.staysAlive = true;
      cancelSweeps = every(host.clock, host.leaseTtlMs, sweepAndServe);
      sweepAndServe();
    },
    stop: async () => {
      cancelSweeps?.();
      await worker?.then((started) => started.stop()).catch(() => undefined);
    },
  };
}

/** Limits the runs of this process from now on. Further ones wait for a place. */
function limitRuns(host: Host, concurrency: number): void {
  host.slots.most = concurrency;
  host.mayLeave ||= !host.staysAlive;
  host.engine ??= lazyEngine(host.clock, host.slots);
}

/**
 * Ends the work of this process. Runs stop after their current turn. Turns that take longer than `timeoutMs`
 * milliseconds are aborted, and other processes continue their runs. Then readers end with `draining`, so
 * that nothing in this process reads from the store any more.
 */
export async function drain(host: Host, timeoutMs: number): Promise<void> {
  host.draining = true;
  cancelWakes(host);
  const legsDone = async () => {
    await Promise.allSettled(host.begins);
    await Promise.allSettled([...host.atWork.values()].map(({ done }) => done));
  };
  await waitAtMost(host.clock, timeoutMs, legsDone());
  for (const leg of host.atWork.values()) leg.leave("draining");
  await waitAtMost(host.clock, 2 * host.abortGraceMs, legsDone());
  host.over.turnOn();
  await waitAtMost(host.clock, 2 * host.abortGraceMs, untilEmpty(host.reads));
}

/** Waits until the set is empty. Promises remove themselves from it when they settle. */
async function untilEmpty(works: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (works.size > 0) await Promise.allSettled(works);
}

/** Waits for work that never rejects, for at most `ms` milliseconds. */
export async function waitAtMost(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  await withinDeadline({ clock, timeoutMs: ms }, work).catch(() => undefined);
}
