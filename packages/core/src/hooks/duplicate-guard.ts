import type { Hook } from "./hook.ts";

/**
 * Skips a call that has already succeeded with the same input in this run. The model is told to use the
 * earlier result. Does not apply to `repeatable` tools. Every agent has this hook.
 */
export function duplicateGuard(): Hook {
  return {
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
  };
}
