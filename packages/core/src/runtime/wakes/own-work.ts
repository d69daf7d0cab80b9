import { every } from "../../base/clock.ts";
import type { EngineWorker } from "../../engine/engine.ts";
import { beginning } from "../begin/beginning.ts";
import type { Host } from "../leg/host.ts";

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
