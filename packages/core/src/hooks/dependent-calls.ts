import { byLogOnly } from "../log/log-only.ts";
import type { Hook } from "./hook.ts";

/**
 * Skips a call if it depends on another call of the same turn. The model is asked to repeat the call once it
 * has read the other call's result. Tools declare this with `dependsOn`. Every agent has this hook.
 */
export function dependentCalls(): Hook {
  return byLogOnly({
    name: "dependent-calls",
    beforeTool: ({ tool, callId }, { run }) => {
      if (tool.dependsOn.length === 0) return undefined;
      const calls = run.turn?.calls ?? [];
      const own = calls.findIndex((call) => call.callId === callId);
      const first = calls.find(
        ({ toolName }, at) =>
          tool.dependsOn.includes(toolName) && (toolName === tool.name ? at < own : at !== own),
      );
      if (first === undefined) return undefined;
      return {
        result: `Waiting for "${first.toolName}": call this again when you have read its result.`,
        skipped: "waiting",
      };
    },
  });
}
