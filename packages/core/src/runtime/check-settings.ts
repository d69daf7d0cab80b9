import { checkNumbers } from "../base/check-numbers.ts";
import { PawlError } from "../base/errors.ts";
import type { EventStore } from "../log/event-store.ts";

interface Settings {
  store: Partial<EventStore> | undefined;
  deps: unknown;
  waitUntil: unknown;
  leaseTtlMs: number;
  pollMs: number;
  abortGraceMs: number;
  handOverAfterMs: number;
}

/**
 * Checks options of `runtime()`, also what the compiler cannot check for callers who write JavaScript.
 *
 * @throws PawlError `config`.
 */
export function checkSettings({ store, deps, waitUntil, ...settings }: Settings): void {
  const given = (value: unknown) => `got a value of type ${typeof value}.`;
  if (typeof store?.append !== "function")
    throw new PawlError("config", `\`store\` must be an EventStore, e.g. memoryStore(); ${given(store)}`);
  if (typeof deps !== "function")
    throw new PawlError("config", `\`deps\` must be a function that returns them; ${given(deps)}`);
  if (waitUntil !== undefined && typeof waitUntil !== "function")
    throw new PawlError(
      "config",
      `\`waitUntil\` must be a function that takes a promise; ${given(waitUntil)}`,
    );
  const { leaseTtlMs, pollMs, abortGraceMs, handOverAfterMs } = settings;
  // These are waited for in timers, sometimes a little longer.
  checkNumbers("the runtime", { leaseTtlMs, pollMs }, { least: 1, most: 2 ** 30, whole: true });
  checkNumbers("the runtime", { abortGraceMs });
  checkNumbers("the runtime", { handOverAfterMs }, { least: 1 });
}
