import { withinDeadline } from "../base/deadline.ts";
import { PawlError } from "../base/errors.ts";
import { errorEvent } from "../log/error-event.ts";
import type { NewEvent } from "../log/event.ts";
import type { HookParts } from "../loop/leg/hook-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { hookFailure, namedFailure } from "./hook-failures.ts";

/**
 * Calls `onError` of all hooks in order. Returns an error event for each hook that throws, and reports what
 * it has thrown.
 */
export const notifyHooks: HookParts<Leg>["notifyHooks"] = async (
  deadline,
  { agent, report },
  error,
  context,
) => {
  const failures: ReturnType<typeof errorEvent>[] = [];
  for (const hook of agent.hooks) {
    try {
      // biome-ignore lint/plugin: callers have stored the error that they notify of.
      await withinDeadline(deadline, hook.onError?.(error, context));
    } catch (cause) {
      failures.push(errorEvent(hookFailure(hook, "onError", cause)));
      report(namedFailure(agent.name, hook, "onError", cause));
    }
  }
  return failures;
};

/** Reports why a run has started without user data, notifies the hooks, and logs what they throw. */
export const reportUserData: HookParts<Leg>["reportUserData"] = async (
  deadline,
  { agent, session, log, report },
  { runId, userData: { failure, error } },
) => {
  if (failure === undefined) return;
  const context = { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
  const hookErrors: readonly NewEvent[] = await afterBarrier({ log }, () => {
    report(error);
    return notifyHooks(deadline, { agent, report }, failure.data, context);
  });
  if (hookErrors.length === 0) return;
  await log.add(hookErrors).catch((cause: unknown) => {
    // If another process has taken over the session, it continues the run, whose start is stored.
    if (!PawlError.is(cause, "fenced")) throw cause;
  });
};
