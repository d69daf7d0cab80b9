import { setTimeout as sleep } from "node:timers/promises";
import type { Workers } from "./workers.ts";

/** How often workers are killed and frozen. */
export interface TroubleOptions {
  leaseTtlMs: number;
  killEveryMs?: number;
  kills?: number;
  freezes?: number;
  patienceMs?: number;
}

/** What kills and freezes workers. */
export interface Trouble {
  /** Whether there must be more kills or freezes. */
  isMissing(): boolean;
  /** Stops. Resolves to what was done once no worker is frozen any more. */
  end(): Promise<{ kills: number; freezes: number }>;
}

/** Begins to kill and to freeze workers. */
export function makeTrouble(workers: Workers, options: TroubleOptions): Trouble {
  const { leaseTtlMs, killEveryMs = 1_000, patienceMs = 120_000 } = options;
  const { kills: mostKills = Number.POSITIVE_INFINITY, freezes: mostFreezes = Number.POSITIVE_INFINITY } =
    options;
  const over = new AbortController();
  const { signal } = over;
  const counts = { kills: 0, freezes: 0 };
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  const killing = async () => {
    while (!signal.aborted && counts.kills < mostKills) {
      await pause(killEveryMs);
      if (!signal.aborted && (await workers.kill())) counts.kills += 1;
    }
  };
  const freezing = async () => {
    while (!signal.aborted && counts.freezes < mostFreezes) {
      await pause(5);
      if (!signal.aborted && (await workers.freeze(leaseTtlMs * 1.25, patienceMs, signal)))
        counts.freezes += 1;
    }
  };
  const all = Promise.all([killing(), freezing()]);
  // `end()` rejects.
  all.catch(() => undefined);
  const { kills: fewestKills = 0, freezes: fewestFreezes = 0 } = options;
  const endsAt = performance.now() + patienceMs;
  return {
    isMissing: () =>
      performance.now() < endsAt && (counts.kills < fewestKills || counts.freezes < fewestFreezes),
    end: async () => {
      over.abort();
      await all;
      return counts;
    },
  };
}
