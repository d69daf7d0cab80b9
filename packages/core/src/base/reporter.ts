import { PawlError } from "./errors.ts";

/**
 * Wraps a function of the application that is told what happened, e.g. `onError`, so that it cannot make its
 * caller fail. If it throws or its promise rejects, the failure is printed to the console.
 *
 * @param name the name of the option, for that line
 *
 * @example
 * ```ts
 * import { reporter } from "@pawl/core/tools";
 *
 * const report = reporter("onError", (error: unknown) => console.log(String(error)));
 * report(new Error("no answer")); // Error: no answer
 * ```
 */
export function reporter<Args extends unknown[]>(
  name: string,
  tell: (...args: Args) => unknown,
): (...args: Args) => void {
  const call = async (...args: Args) => tell(...args);
  return (...args) =>
    void call(...args).catch((failure) =>
      console.error(`pawl: ${name} failed: ${PawlError.describe(failure)}`),
    );
}
