import { type Clock, every } from "../../base/clock.ts";
import { withinDeadline } from "../../base/deadline.ts";
import type { EngineWorker } from "../../engine/engine.ts";
import { beginning } from "../begin/beginning.ts";
import type { Host } from "../leg/host.ts";
import { cancelWakes } from "./wake.ts";

/** Recovers every run that no process is working on. Returns the number of runs that this call recovered. */
// Only servers sweep, so the code is not loaded at the start.
export function sweepOnce(host: Host, options: { wait?: boolean } = {}): Promise<number> {
  return beginning(
    host,
    load().then(({ sweep }) => sweep(host, options)),
  );
}

const load = () => import("../later/index.ts");

/** What a process does by itself, without a request. */
interface OwnWork {
  /** Sweeps at once and then once per lease time, and works for the engine. */
  start(): void;
  /** Works for the engine only. */
  serveEngine(): void;
  /** Takes no more work, and resolves once the engine knows what was done. */
  stop(): Promise<void>;
}

/** Makes what a process does by itself. The timer of its sweeps does not keep the process alive. */
export function ownWork(host: Host): OwnWork {
  const { engine, slots } = host;
  let cancel: (() => void) | undefined;
  let worker: Promise<EngineWorker> | undefined;
  const look = () => {
    serveEngine();
    void sweepOnce(host).catch(host.report);
  };
  const serveEngine = () => {
    if (worker !== undefined || engine === undefined || slots.most === 0) return;
    const starting = engine.work(
      (woken) =>
        beginning(
          host,
          load().then(({ continueWoken }) => continueWoken(host, woken)),
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
    start: () => {
      host.staysAlive = true;
      if (cancel !== undefined) return;
      cancel = every(host.clock, host.leaseTtlMs, look);
      look();
    },
    stop: async () => {
      cancel?.();
      await worker?.then((one) => one.stop()).catch(() => undefined);
    },
  };
}

/**
 * Ends the work of this process. Runs stop at their next turn boundary; those that take longer than
 * `timeoutMs` milliseconds are left to other processes. Then readers end with `draining`. Afterwards nothing
 * here reads from the store.
 */
export async function drain(host: Host, timeoutMs: number): Promise<void> {
  host.draining = true;
  cancelWakes(host);
  const atRest = async () => {
    await Promise.allSettled(host.begins);
    await Promise.allSettled([...host.atWork.values()].map(({ done }) => done));
  };
  await atMost(host.clock, timeoutMs, atRest());
  for (const leg of host.atWork.values()) leg.leave("draining");
  await atMost(host.clock, 2 * host.abortGraceMs, atRest());
  host.over.turnOn();
  await atMost(host.clock, 2 * host.abortGraceMs, settled(host.reads));
}

/** Waits until nothing is left in the set. */
async function settled(works: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (works.size > 0) await Promise.allSettled(works);
}

/** Waits for work that never rejects, for at most `ms` milliseconds. */
export async function atMost(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  await withinDeadline({ clock, timeoutMs: ms }, work).catch(() => undefined);
}
