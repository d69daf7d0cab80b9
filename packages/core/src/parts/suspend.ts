import type { NewEvent } from "../log/event.ts";
import { sessionOver } from "../log/stop-reason.ts";
import { endRun } from "../loop/end-run.ts";
import { callHook, HOOK_FAILED, hooksWith } from "../loop/hooks/call-hooks.ts";
import { storeBefore } from "../loop/hooks/turn-hooks.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { type Asking, isHidden } from "../session/asking.ts";
import { closeOpenCalls, OVERTAKEN } from "../session/close-calls.ts";
import { firstExpiry } from "../session/queued.ts";
import { openRun, type RunState } from "../session/state.ts";

/**
 * Suspends the run. If the session was completed or has expired, nobody can answer, so the run ends instead.
 * `seq` is the number of the last event when the suspension was decided. Returns `false` if something was
 * stored after that event; the caller must then decide again.
 */
export async function suspendRun(leg: Leg, waiting: readonly Asking[], seq: number): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const status = await leg.run.status();
  if (status === "expired" || status === "completed") return await endRun(leg, sessionOver(status));
  // The `onSuspend` hooks may have appended events, so the caller decides again.
  const questions = waiting.filter((asking) => !isHidden(asking));
  if (questions.length > 0 && (await notifyOfSuspension(leg, questions))) return false;
  return await leg.log.appendAtTip([suspendedEvent(run, waiting, leg.run.clockSetBack?.())], {
    seq,
    release: true,
  });
}

/**
 * Calls the `onSuspend` hooks, once per leg for the same questions. Returns `true` if a hook was called,
 * because it may have appended events. An error of a hook is logged. The run waits all the same.
 */
async function notifyOfSuspension(leg: Leg, waiting: readonly Asking[]): Promise<boolean> {
  const hooks = hooksWith(leg, "onSuspend");
  const questions = waiting.map(({ question }) => question?.seq).join();
  if (hooks.length === 0 || leg.once.hooks.questions === questions) return false;
  await storeBefore(leg, hooks);
  leg.once.hooks.questions = questions;
  for (const hook of hooks) {
    const { failed } = await callHook(leg, hook, "onSuspend", [], () => undefined);
    if (failed && hook.guards) leg.life.halt(HOOK_FAILED);
  }
  return true;
}

function suspendedEvent({ runId }: RunState, waiting: readonly Asking[], clock?: string): NewEvent {
  const idsOf = (askings: readonly Asking[]) => askings.map(({ callId }) => callId);
  const pending = idsOf(waiting.filter((asking) => !isHidden(asking)));
  const hidden = idsOf(waiting.filter(isHidden));
  const wake_at = firstExpiry(waiting, clock);
  return {
    type: "run_suspended",
    data: {
      run_id: runId,
      pending,
      ...(hidden.length > 0 && { hidden }),
      ...(wake_at !== undefined && { wake_at, ...(clock !== undefined && { clock }) }),
    },
  };
}

/**
 * Closes the open questions because a new message has arrived. The run continues with the message, and may
 * ask again. If an answer is stored first, nothing is closed, and the loop decides again.
 */
export async function closeOvertakenQuestions({ log }: Leg, run: RunState): Promise<void> {
  // Without a running leg, a new message ends the suspended run instead, see `prepareSupersededEnd`.
  await log.appendAtTip(closeOpenCalls(run, "message", () => OVERTAKEN));
}
