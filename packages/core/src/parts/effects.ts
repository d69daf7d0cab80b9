import { withinDeadline, withTimeLimit } from "../base/deadline.ts";
import { PawlError, storeFailed } from "../base/errors.ts";
import type { Hook } from "../hooks/hook.ts";
import type { NewEvent } from "../log/event.ts";
import { eventKey } from "../log/event-keys.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { HOOK_AT_END_MS, hooksWith } from "../loop/hooks/call-hooks.ts";
import { askInRun, contextOf } from "../loop/hooks/context-methods.ts";
import type { RunEnd } from "../loop/leg/end-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier, storeHeld } from "../loop/leg/stored-first.ts";
import type { OpenTask } from "../loop/leg/task-types.ts";
import { isGivenUp } from "../session/given-up.ts";
import { resultOf } from "../session/run-result.ts";
import type { RunState } from "../session/state.ts";
import { artifactEvent } from "../tools/artifact.ts";
import { reportHook } from "./hook-failures.ts";

/** A hook with the method `afterRun`. */
type Effect = Hook & Required<Pick<Hook, "afterRun">>;

/** The name of the effect that ends the open tasks of sub-agents. */
const TASKS = "pawl.tasks";

/**
 * Ends `tasks`, the open tasks of the run's sub-agents, and runs the `afterRun` hooks that have not run yet.
 * Each of these effects has its own event key. `begin` appends the first `effect_started`; after it, the run
 * can only end. An effect that a crash interrupted runs again only if its hook is `idempotent` and the run is
 * not in a crash loop.
 *
 * @returns `true` if the run can end; `false` if `begin` returned `false`, because something else was stored
 *   first
 */
export async function runEffects(
  leg: Leg,
  run: RunState,
  stop: StopReason,
  { tasks, begin }: RunEnd,
): Promise<boolean> {
  for (const hook of [...endingTasks(leg, run, tasks), ...hooksWith(leg, "afterRun")]) {
    const progress = run.effects.get(hook.name);
    const mayRunAgain = hook.idempotent === true && !isGivenUp(run);
    if (progress === "over" || (progress === "begun" && !mayRunAgain)) continue;
    if (progress === undefined) {
      // An effect may charge the user for the latest answer. The log must have the answer first.
      await storeHeld(leg);
      const started = effectStarted(run, stop, hook);
      if (run.ending !== undefined) await leg.log.add([started]);
      else if (!(await begin(started))) return false;
    }
    await runEffect(leg, run, stop, hook);
  }
  return true;
}

/**
 * Returns a list with the effect that stops the open tasks of sub-agents and charges their use to the run.
 * The list is empty without such tasks, unless the effect has begun in an earlier leg. The effect runs before
 * those of hooks, so that a reservation charges that use too.
 */
function endingTasks(leg: Leg, run: RunState, tasks: RunEnd["tasks"]): Effect[] {
  if (tasks.length === 0 && run.effects.get(TASKS) !== "begun") return [];
  const afterRun: Effect["afterRun"] = async (_, { signal }) => {
    await Promise.all(tasks.map((task) => endAndCharge(leg, run, task, signal)));
  };
  return [{ name: TASKS, idempotent: true, afterRun }];
}

/** Stops a sub-agent's task, and charges the run for the use that it was not charged for yet. */
async function endAndCharge(
  leg: Leg,
  { runId }: RunState,
  task: OpenTask,
  signal: AbortSignal,
): Promise<void> {
  const uncharged = await task.end(signal);
  if (uncharged === undefined || signal.aborted) return;
  const { model, spent, artifacts } = uncharged;
  const { callId, toolName: by } = task.call;
  // A process that died may have charged the use already. The key then refuses a second charge.
  const key = eventKey.effect(runId, `${TASKS}:${callId}`);
  const spending: NewEvent = { type: "spending", key, data: { by, model, ...spent } };
  await leg.log.add([spending, ...artifacts.map(artifactEvent)]).catch((error: unknown) => {
    if (!PawlError.is(error, "key_taken")) throw error;
  });
}

function effectStarted({ runId }: RunState, stop: StopReason, { name }: Hook): NewEvent {
  return {
    type: "effect_started",
    key: eventKey.effect(runId, name),
    data: { run_id: runId, name, stop },
  };
}

/**
 * Runs one effect with its own time limit, because the run's signal may be aborted. The run ends even if the
 * effect fails.
 */
async function runEffect(leg: Leg, run: RunState, stop: StopReason, hook: Effect): Promise<void> {
  const { clock } = leg.life;
  let failure: unknown;
  let success = true;
  try {
    await withTimeLimit(clock, HOOK_AT_END_MS, async (signal) => {
      const askModel = askInRun(leg, { by: hook.name, scope: hook.name, signal: () => signal });
      const context = Object.create(contextOf(leg, hook), {
        signal: { value: signal, enumerable: true },
        askModel: { value: askModel, enumerable: true },
      });
      const work = afterBarrier(leg, async () => hook.afterRun(resultOf(leg.log.state, stop), context));
      await withinDeadline({ signal, abortGraceMs: 0, clock }, work);
    });
  } catch (cause) {
    if (PawlError.is(cause, "fenced") || storeFailed(cause)) throw cause;
    success = false;
    failure = cause;
  }
  const ended: NewEvent = {
    type: "effect_ended",
    data: { run_id: run.runId, name: hook.name, success },
  };
  if (success) await leg.log.add([ended]);
  else await reportHook(leg, hook, "afterRun", failure, [ended]);
}
