import { every } from "../../base/clock.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Lease } from "../../log/store/event-store.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { openRun } from "../../session/state.ts";
import type { Host } from "./host.ts";
import type { OwnLeg } from "./make-leg.ts";

/** A lease that is renewed until it is released. */
export interface KeptLease {
  /** Stops renewing, because the last append has released the lease. */
  stopRenewing(): void;
  /** Releases the lease, unless it was released already. */
  giveBack(): Promise<void>;
}

/**
 * Renews the lease whenever a third of `leaseTtlMs` has passed. After each renewal, reads the events of other
 * processes. Calls `lose` if the lease is lost, or if either call fails.
 */
export function keepLease(host: Host, lease: Lease, log: SessionLog, lose: () => void): KeptLease {
  const cancelTimer = every(host.clock, host.leaseTtlMs / 3, () => {
    host.store
      .renew(lease, host.leaseTtlMs)
      .then(async (isHeld) => (isHeld ? await log.catchUp() : lose()))
      .catch(lose);
  });
  // Set once, so that the lease is released at most once.
  let released: Promise<void> | undefined;
  const stopRenewing = () => {
    cancelTimer();
    released ??= Promise.resolve();
  };
  const release = async () => {
    cancelTimer();
    await host.store.release(lease).catch(() => undefined);
  };
  const giveBack = async () => {
    released ??= release();
    await released;
  };
  return { stopRenewing, giveBack };
}

/**
 * Runs `work`, which resolves to whether the run is settled. Then:
 *
 * - keeps the lease if the next run has started;
 * - only stops renewing it if the run is settled, because the last append has released it;
 * - releases it in any other case, also if `work` rejects.
 */
export async function withLease(
  kept: KeptLease,
  leg: OwnLeg,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const settled = await work();
    if (leg.life.nextRun !== undefined) return settled;
    if (settled || (await storeRunLeft(leg))) kept.stopRenewing();
    else await kept.giveBack();
    return settled;
  } catch (error) {
    await kept.giveBack();
    throw error;
  }
}

/** How many times a leg tries to store `run_left` while other processes append events in between. */
const MOST_APPENDS = 5;

/**
 * Stores that this process leaves its run on purpose, and releases the lease in the same append. The run's
 * next process then knows that this one has not crashed. Resolves to `false` if nothing was stored.
 */
async function storeRunLeft({ log, life }: OwnLeg): Promise<boolean> {
  try {
    for (let appends = 0; appends < MOST_APPENDS; appends += 1) {
      const run = openRun(log.state);
      if (life.leaving === undefined || run?.unsettled !== true) return false;
      log.beginDecision();
      const left: NewEvent = { type: "run_left", data: { run_id: run.runId, reason: life.leaving } };
      if (await log.appendAtTip([left], { release: true })) return true;
    }
  } catch {
    // The store is unavailable, or the lease is lost. The next process recovers the run as after a crash.
  }
  return false;
}
