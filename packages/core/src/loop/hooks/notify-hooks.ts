import { type Deadline, withinDeadline } from "../../base/deadline.ts";
import type { Hook, HookContext } from "../../hooks/hook.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { EventData } from "../../log/event-data.ts";
import { hookFailure } from "./hook-failure.ts";

/** Calls `onError` of all hooks in order. Returns an error event for each hook that throws. */
export async function notifyHooks(
  deadline: Deadline,
  hooks: readonly Hook[],
  error: EventData["error"],
  context: HookContext,
): Promise<ReturnType<typeof errorEvent>[]> {
  const failures: ReturnType<typeof errorEvent>[] = [];
  for (const hook of hooks) {
    try {
      await withinDeadline(deadline, hook.onError?.(error, context));
    } catch (cause) {
      failures.push(errorEvent(hookFailure(hook, "onError", cause)));
    }
  }
  return failures;
}
