import { messageOf, PawlError } from "../../base/errors.ts";
import type { Hook } from "../../hooks/hook.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import type { Leg } from "../leg/leg.ts";

/** Returns the error to log for a hook that threw. */
export function hookFailure(hook: Hook, method: string, cause: unknown): ErrorReport {
  return {
    code: "hook_failed",
    message: `${method} of "${hook.name}": ${messageOf(cause)}`,
    context: { hook: hook.name, method },
  };
}

/** Returns the error of a hook with the names of the hook and the agent in its message, for `onError`. */
export function namedFailure({ run: { agent } }: Leg, { name }: Hook, method: string, cause: unknown): Error {
  const message = `${method} of "${name}" (agent "${agent.name}"): ${messageOf(cause)}`;
  if (!PawlError.is(cause)) return new Error(message, { cause });
  return new PawlError(cause.code, message, { cause, details: cause.details });
}
