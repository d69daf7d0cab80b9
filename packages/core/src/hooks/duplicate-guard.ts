import { byLogOnly } from "../log/log-only.ts";
import type { Hook } from "./hook.ts";

/**
 * Skips a call that has already succeeded with the same input in this run, and tells the model to use the
 * earlier result. Ignores `repeatable` tools. Every agent has this hook.
 */
export function duplicateGuard(): Hook {
  return byLogOnly({
    name: "duplicate-guard",
    beforeTool: ({ tool, callId }, { run }) => {
      if (tool.repeatable || run.succeeded.size === 0) return undefined;
      const call = run.turn?.calls.find((one) => one.callId === callId);
      if (call === undefined || !run.succeeded.has(call.key)) return undefined;
      return {
        result: `Not run again: "${tool.name}" has succeeded with this input before. Its result is above.`,
        skipped: "duplicate",
      };
    },
  });
}
