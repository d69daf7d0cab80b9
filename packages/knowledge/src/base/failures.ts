import { type HookContext, PawlError } from "@pawl/core";
import { reporter } from "@pawl/core/tools";

/**
 * Called with each error, and the session and run in which it occurred. The log has only error codes, because
 * clients may see it.
 */
export type OnError = (error: unknown, context: HookContext) => void;

/** Returns a function that reports errors to `onError`, by default to the console. It never throws. */
export function errorReporter(name: string, onError?: OnError): OnError {
  const tell: OnError = onError ?? ((error) => console.error(`${name}: ${PawlError.describe(error)}`));
  return reporter("onError", tell);
}
