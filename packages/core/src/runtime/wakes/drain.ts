import type { Clock } from "../../base/clock.ts";
import { withinDeadline } from "../../base/deadline.ts";
import type { Host } from "../leg/host.ts";
import { cancelWakes } from "./wake.ts";

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
