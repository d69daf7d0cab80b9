import type { Agent } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { Session } from "../../log/session-row.ts";
import type { Host, Place } from "../leg/host.ts";

/**
 * Waits until a session is resumed, but no longer than a lease lasts, plus the time that its agent's function
 * `tools` may take. A session that is not open by then, e.g. because its store hangs, is reported and gives
 * its place to another one. It is not opened again until the store has answered. Resolves to `undefined`
 * for it.
 */
export async function inTime<T>(
  { clock, leaseTtlMs, setbacks, report }: Host,
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
    const message = `The session "${id}" is not open after ${timeoutMs} ms. This process goes on without it, and opens it as soon as its store answers.`;
    report(new PawlError("store_unavailable", message));
    return undefined;
  }
}
