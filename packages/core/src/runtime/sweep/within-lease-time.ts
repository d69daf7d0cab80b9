import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { Session } from "../../log/session-row.ts";
import type { Host, Place } from "../leg/host.ts";

/**
 * Waits until a session is resumed, for at most the lease time plus the longest time limit of the functions
 * `tools` of the agents that may speak in it. If the session is not open by then, e.g. because the store
 * hangs, frees its place and resolves to `undefined`. The session is not tried again until the store has
 * answered. `resumed` never rejects, so only the time limit is caught.
 */
export async function withinLeaseTime<T>(
  { clock, leaseTtlMs, setbacks }: Host,
  { id }: Session,
  { agents, place }: { agents: readonly Agent[]; place: Place | undefined },
  resumed: Promise<T>,
): Promise<T | undefined> {
  const waits = agents.map(({ toolsFor, toolsTimeoutMs }) => (toolsFor === undefined ? 0 : toolsTimeoutMs));
  const timeoutMs = leaseTtlMs + Math.max(0, ...waits);
  try {
    return await withinDeadline({ clock, timeoutMs }, resumed);
  } catch {
    const { failures } = setbacks.get(id) ?? { failures: 0 };
    setbacks.set(id, { failures, dueAt: Number.POSITIVE_INFINITY });
    place?.leave();
    return undefined;
  }
}

/** The share of the lease time after which a sweep goes on to other sessions while it still opens one. */
const SHARE = 0.1;

/** The most sessions whose opening hangs that a sweep opens beside its others. */
const MOST_HANGING = 100;

/**
 * Waits until a session is resumed or could not be. After a share of the lease time, the sweep goes on to
 * other sessions, and no sweep tries this one again until the store has answered. If the opening of many
 * sessions hangs already, waits as long as {@link withinLeaseTime} does.
 */
export async function untilResumedOrSlow<T>(
  { clock, leaseTtlMs, setbacks }: Host,
  { id }: Session,
  resumed: Promise<T>,
): Promise<void> {
  try {
    await withinDeadline({ clock, timeoutMs: leaseTtlMs * SHARE }, resumed);
  } catch {
    const hanging = [...setbacks.values()].filter(isHanging).length;
    if (hanging >= MOST_HANGING) return void (await resumed);
    const { failures } = setbacks.get(id) ?? { failures: 0 };
    setbacks.set(id, { failures, dueAt: Number.POSITIVE_INFINITY });
  }
}

function isHanging({ dueAt }: { dueAt: number }): boolean {
  return dueAt === Number.POSITIVE_INFINITY;
}

/**
 * Reports a session that {@link withinLeaseTime} or {@link untilResumedOrSlow} has given up. `failures` is 1
 * afterwards, so it is reported once.
 */
export function reportIfHanging({ setbacks, report }: Host, { id }: Session): void {
  const setback = setbacks.get(id);
  if (setback?.failures !== 0 || !isHanging(setback)) return;
  setbacks.set(id, { ...setback, failures: 1 });
  const message = `The session "${id}" is not open yet: its store does not answer. This process goes on without it, and continues it once the store answers.`;
  report(new PawlError("store_unavailable", message));
}
