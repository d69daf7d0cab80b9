import type { Clock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { PawlError } from "../base/errors.ts";
import type { Host } from "./leg/host.ts";

/**
 * Brings the process's work to an end: runs stop at their next turn boundary, and those that do not in time
 * are left to another process as they are. Then readers are told to go elsewhere.
 */
export async function drain(host: Host, timeoutMs: number): Promise<void> {
  host.draining = true;
  const atRest = async () => {
    await Promise.allSettled(host.begins);
    await Promise.allSettled([...host.legs.values()].map(({ done }) => done));
  };
  await atMost(host.clock, timeoutMs, atRest());
  for (const leg of host.legs.values()) leg.leave();
  await atMost(host.clock, 2 * host.abortGraceMs, atRest());
  host.over.abort(new PawlError("draining", "This process is going down. Go on elsewhere."));
}

/** Waits for work that never rejects, but no longer than this. */
async function atMost(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  await withinDeadline({ clock, timeoutMs: ms }, work).catch(() => undefined);
}
