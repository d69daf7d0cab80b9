import { messageOf, PawlError } from "../base/errors.ts";
import type { Hook } from "../hooks/hook.ts";
import { type ErrorReport, endsRun } from "../log/error-event.ts";
import type { NewEvent } from "../log/event.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { type ResultEvent, resultEvent } from "../session/close-calls.ts";
import type { CallState } from "../session/state.ts";

/** Logs what a hook threw, after `events`, and reports it to `onError`. */
export async function reportHook(
  leg: Leg,
  hook: Hook,
  method: string,
  cause: unknown,
  events: readonly NewEvent[] = [],
): Promise<void> {
  const failure = hookFailure(hook, method, cause);
  await leg.report.logError(failure, events);
  const named = namedFailure(leg.run.agent.name, hook, method, cause);
  // The end of the run is then not reported once more.
  await afterBarrier(leg, () =>
    endsRun(failure.context) ? leg.report.failed(named) : leg.report.toFix(named),
  );
}

/** Returns the error to log for a hook that threw. */
export function hookFailure({ name, guards }: Hook, method: string, cause: unknown): ErrorReport {
  return {
    code: "hook_failed",
    message: `${method} of "${name}": ${messageOf(cause)}`,
    context: { hook: name, method, ...(guards && { guards }) },
  };
}

/** Returns the error of a hook with the names of the hook and the agent in its message, for `onError`. */
export function namedFailure(agent: string, { name }: Hook, method: string, cause: unknown): Error {
  return namedError(`${method} of "${name}" (agent "${agent}")`, cause);
}

/** Returns the result of a call whose own result was not checked, because a hook that guards has failed. */
export function withheldResult(call: CallState, { data: { spent }, durationMs }: ResultEvent): ResultEvent {
  const text = "The tool has run. Its result is withheld, because a check of it failed.";
  return resultEvent(call, false, text, {
    ...(durationMs !== undefined && { durationMs }),
    data: { ...(spent !== undefined && { spent }) },
  });
}

/**
 * Reports the tools that a hook guards, and that the agent does not have for this caller. A tool that has
 * another name by now would run unguarded. Each is reported once.
 */
export async function reportUnguarded(
  leg: Leg,
  { name: agent, hooks, tools }: Leg["run"]["agent"],
): Promise<void> {
  for (const { name, guards, tools: guarded = [] } of hooks) {
    for (const tool of guards ? guarded : []) {
      const mistake = JSON.stringify([agent, name, tool, "unguarded"]);
      if (tools.has(tool) || leg.report.mistakes.has(mistake)) continue;
      leg.report.mistakes.add(mistake);
      const text = `The hook "${name}" guards the tool "${tool}", which the function \`tools\` of the agent "${agent}" has not returned for this caller. If the tool was renamed, its calls run unguarded: change the name in the hook too.`;
      await afterBarrier(leg, () => leg.report.toFix(new Error(text)));
    }
  }
}

/** Returns an error for `onError` that says what has failed. `cause` is what was thrown. */
export function namedError(what: string, cause: unknown): Error {
  const message = `${what}: ${messageOf(cause)}`;
  if (!PawlError.is(cause)) return new Error(message, { cause });
  return new PawlError(cause.code, message, { cause, details: cause.details });
}
