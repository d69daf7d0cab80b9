import { every } from "../../base/clock.ts";
import type { SessionLog } from "../../leg/session-log.ts";
import type { Lease } from "../../log/event-store.ts";
import type { Host } from "./host.ts";
import type { OwnLeg } from "./make-leg.ts";

/** A lease that is renewed until it is released. */
interface HeldLease {
  /** Stops renewing, because the last append released the lease. */
  stopRenewing(): void;
  giveBack(): Promise<void>;
}

/**
 * Renews the lease at a third of its duration, and reads the events of other processes each time. Calls
 * `lose` if a renewal fails.
 */
export function keepLease(host: Host, lease: Lease, log: SessionLog, lose: () => void): HeldLease {
  const stopRenewing = every(host.clock, host.leaseTtlMs / 3, () => {
    host.store
      .renew(lease, host.leaseTtlMs)
      .then(async (held) => (held ? await log.catchUp() : lose()))
      .catch(lose);
  });
  const giveBack = async () => {
    stopRenewing();
    await host.store.release(lease).catch(() => undefined);
  };
  return { stopRenewing, giveBack };
}

/**
 * Runs `work` under the lease. Releases the lease if the run was not settled, and keeps it if the next run
 * has started.
 */
export async function withLease(
  held: HeldLease,
  { life }: OwnLeg,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const settled = await work();
    if (life.nextRun !== undefined) return settled;
    if (settled) held.stopRenewing();
    else await held.giveBack();
    return settled;
  } catch (error) {
    await held.giveBack();
    throw error;
  }
}
