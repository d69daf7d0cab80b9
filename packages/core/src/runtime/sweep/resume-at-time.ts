import { newPacer } from "../../base/pacer.ts";
import type { Session } from "../../log/session-row.ts";
import type { NotDue } from "../begin/begin.ts";
import type { Host, Wake, Work } from "../leg/host.ts";
import { resumeIfDue } from "./sweep.ts";

/**
 * Has the sessions whose timers fire at the same moment, or that an engine wakes then, begin one after the
 * other. All runtimes of the process have one event loop, so they share it.
 */
export const wakePace: () => Promise<void> = newPacer();

/**
 * Resumes the run for which a timer was set. Returns `moved on` if the run has ended, or waits for a later
 * time or only for the user by now. Returns `undefined` if the run could not be resumed, e.g. because the
 * lease is taken.
 */
export async function resumeUnlessMovedOn(
  host: Host,
  id: string,
  wake: Wake,
): Promise<Work | NotDue | "moved on" | undefined> {
  await wakePace();
  const session = await host.store.sessions.get(id);
  if (session === undefined || session.openRun !== wake.runId || !isDueAt(wake.at, session))
    return "moved on";
  return await resumeIfDue(host, session, wake.from);
}

/**
 * Returns whether a session's run must be resumed at this time. That includes a run that does not wait any
 * more: another process may have stored a message or an answer, and died before it could resume the run.
 */
function isDueAt(at: string, { status, wakeAt }: Session): boolean {
  return wakeAt === null ? status !== "suspended" : wakeAt <= at;
}
