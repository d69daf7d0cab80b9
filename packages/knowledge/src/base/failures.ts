import { type HookContext, PawlError } from "@pawl/core";

/**
 * Called with each error, and the session and run in which it occurred. The log has only error codes, because
 * clients may see it.
 */
export type OnError = (error: unknown, context: HookContext) => void;

/**
 * Returns a function that reports errors to `onError`, by default to the console. An error in `onError` is
 * ignored.
 */
export function reporter(name: string, onError?: OnError): OnError {
  const tell = onError ?? ((error: unknown) => console.error(`${name}: ${PawlError.describe(error)}`));
  return (error, context) => {
    try {
      tell(error, context);
    } catch {}
  };
}
