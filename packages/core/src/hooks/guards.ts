import { markLogOnly } from "../log/log-only.ts";
import type { CallState, RunState } from "../session/state.ts";
import type { Hook, RunContext } from "./hook.ts";

/**
 * Skips a call that has succeeded with the same input in an earlier turn of this run, and tells the model to
 * use the earlier result. Unless the tool is `repeatable: false`, the call runs again if another call has run
 * beside or after the earlier one. Ignores tools that are `repeatable: true`. Every agent has this hook.
 */
export function duplicateGuard(): Hook {
  return markLogOnly({
    name: "duplicate-guard",
    beforeTool: ({ tool, callId }, { run }) => {
      if (tool.repeatable || run.succeeded.size === 0) return undefined;
      const call = run.turn?.calls.find((one) => one.callId === callId);
      if (call === undefined) return undefined;
      // `key` is the tool's name with the arguments: equal calls have equal keys.
      const earlier = run.succeeded.get(call.key);
      if (earlier === undefined) return undefined;
      if (tool.repeatable === undefined && mayDiffer(run, earlier, call)) return undefined;
      return {
        result: `Not run again: "${tool.name}" has succeeded with this input before. Its result is above.`,
        skipped: "duplicate",
      };
    },
  });
}

/**
 * Returns whether a call may have another result than an equal one before: the model wanted both, because
 * they are of one turn, or another call has run since, e.g. has changed what the tool reads.
 */
function mayDiffer(run: Readonly<RunState>, earlier: CallState, call: CallState): boolean {
  if (earlier.assistantSeq === call.assistantSeq) return true;
  return run.calls.some(
    (other) => other.key !== call.key && other.assistantSeq >= earlier.assistantSeq && mayHaveRun(other),
  );
}

/** Returns whether a call has run, will perhaps run in this turn, or was answered with a result. */
function mayHaveRun({ started, result }: CallState): boolean {
  if (started !== undefined || result === undefined) return true;
  return result.data.success && result.data.skipped === undefined;
}

/**
 * Skips a call if it depends on another call of the same turn. The model is asked to repeat the call once it
 * has read the other call's result. Tools declare this with `dependsOn`. Every agent has this hook.
 */
export function dependentCalls(): Hook {
  return markLogOnly({
    name: "dependent-calls",
    beforeTool: ({ tool, callId }, { run }) => {
      if (tool.dependsOn.length === 0) return undefined;
      const calls = run.turn?.calls ?? [];
      const ownIndex = calls.findIndex((call) => call.callId === callId);
      const first = calls.find(
        // Of several calls of the same tool, only an earlier one counts.
        ({ toolName }, index) =>
          tool.dependsOn.includes(toolName) && (toolName !== tool.name || index < ownIndex),
      );
      if (first === undefined) return undefined;
      return {
        result: `Waiting for "${first.toolName}": call this again when you have read its result.`,
        skipped: "waiting",
      };
    },
  });
}

/**
 * Refuses a tool for the rest of the run once it has failed `failures` times in a row. A note tells the
 * model. Every agent has this hook; the number is the agent's `limits.toolFailures`.
 */
export function failureBudget(failures: number): Hook {
  const isRefused = (run: Readonly<RunState>, tool: string) =>
    failuresInARow(run, tool, failures) >= failures;
  const appendNotes = async (tools: readonly string[], runId: string, append: RunContext["append"]) => {
    for (const tool of tools) {
      const text = `"${tool}" has failed ${failures} times in a row and cannot be used for the rest of this request. Do without it.`;
      await append({ type: "note", key: `failure-budget:${runId}:${tool}`, data: { text } });
    }
    return undefined;
  };
  return markLogOnly({
    name: "failure-budget",
    beforeTurn: (_plan, { run, append }) => {
      const called = new Set(run.turn?.calls.map(({ toolName }) => toolName));
      const tools = [...called].filter((tool) => isRefused(run, tool));
      return tools.length === 0 ? undefined : appendNotes(tools, run.runId, append);
    },
    beforeTool: ({ tool }, { run }) =>
      isRefused(run, tool.name)
        ? {
            deny: `Not run: "${tool.name}" has failed ${failures} times in a row. Do without it for this request.`,
          }
        : undefined,
  });
}

/** Counts a tool's failures since its last success, up to `most`. Skipped calls do not count. */
function failuresInARow({ calls }: Readonly<RunState>, tool: string, most: number): number {
  let count = 0;
  for (let index = calls.length - 1; index >= 0 && count < most; index -= 1) {
    const call = calls[index];
    if (call?.toolName !== tool || call.result === undefined || call.result.data.skipped !== undefined)
      continue;
    if (call.result.data.success) return count;
    count += 1;
  }
  return count;
}
