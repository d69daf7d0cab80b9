import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { Session } from "../../log/session-row.ts";
import type { Host, Place } from "../leg/host.ts";

/**
 * Waits until a session is resumed, but no longer than a lease lasts, plus the time that its agent's function
 * `tools` may take. A session that is not open by then, e.g. because its store hangs, gives its place to
 * another one, and is not opened again until the store has answered. Resolves to `undefined` for it.
 */
export async function inTime<T>(
  { clock, leaseTtlMs, setbacks }: Host,
  { id }: Session,
  { agent: { toolsFor, toolsTimeoutMs }, place }: { agent: Agent; place: Place | undefined },
  resumed: Promise<T>,
): Promise<T | undefined> {
  const timeoutMs = leaseTtlMs + (toolsFor === undefined ? 0 : toolsTimeoutMs);
  try {
    return await withinDeadline({ clock, timeoutMs }, resumed);
  } catch {
    const { failures } = setbacks.get(id) ?? { failures: 0 };
    setbacks.set(id, { failures, dueAt: Number.POSITIVE_INFINITY });
    place?.leave();
    return undefined;
  }
}

/** Reports a session that {@link inTime} has given up, once. */
export function reportIfHanging({ setbacks, report }: Host, { id }: Session): void {
  const setback = setbacks.get(id);
  if (setback?.failures !== 0 || setback.dueAt !== Number.POSITIVE_INFINITY) return;
  setbacks.set(id, { ...setback, failures: 1 });
  const message = `The session "${id}" is not open yet: its store does not answer. This process goes on without it, and continues it once the store answers.`;
  report(new PawlError("store_unavailable", message));
}
