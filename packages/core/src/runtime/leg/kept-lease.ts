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
 * Renews the lease at a third of its duration, and reads the events of other processes each time. Calls
 * `lose` if a renewal fails.
 */
export function keepLease(host: Host, lease: Lease, log: SessionLog, lose: () => void): KeptLease {
  const cancel = every(host.clock, host.leaseTtlMs / 3, () => {
    host.store
      .renew(lease, host.leaseTtlMs)
      .then(async (isHeld) => (isHeld ? await log.catchUp() : lose()))
      .catch(lose);
  });
  let released: Promise<void> | undefined;
  const stopRenewing = () => {
    cancel();
    released ??= Promise.resolve();
  };
  const release = async () => {
    cancel();
    await host.store.release(lease).catch(() => undefined);
  };
  const giveBack = async () => {
    released ??= release();
    await released;
  };
  return { stopRenewing, giveBack };
}

/**
 * Runs `work` under the lease. Releases the lease if the run was not settled, and keeps it if the next run
 * has started.
 */
export async function withLease(
  kept: KeptLease,
  leg: OwnLeg,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const settled = await work();
    if (leg.life.nextRun !== undefined) return settled;
    if (settled || (await isLeft(leg))) kept.stopRenewing();
    else await kept.giveBack();
    return settled;
  } catch (error) {
    await kept.giveBack();
    throw error;
  }
}

/** How often a leg tries to log that it leaves its run, while other processes store something. */
const APPENDS = 5;

/**
 * Logs that this process leaves its run on purpose, and releases the lease in the same append. So the run's
 * next process knows that nothing has crashed. Returns `false` if nothing was stored.
 */
async function isLeft({ log, life }: OwnLeg): Promise<boolean> {
  try {
    for (let appends = 0; appends < APPENDS; appends += 1) {
      const run = openRun(log.state);
      if (life.leaving === undefined || run?.unsettled !== true) return false;
      log.decide();
      const left: NewEvent = { type: "run_left", data: { run_id: run.runId, reason: life.leaving } };
      if (await log.appendAtTip([left], { release: true })) return true;
    }
  } catch {
    // The store is gone, or another process has the session: then this looks like a crash.
  }
  return false;
}
