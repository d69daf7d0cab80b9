import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { startOfLastTurns, withoutResults } from "./checkpoint.ts";
import type { CheckpointStrategy } from "./strategy.ts";

const OPTIONS: OptionKinds<Parameters<typeof dropOldResults>[0]> = {
  whenTokens: "number!",
  keepTurns: "number",
};

/**
 * Returns a strategy for `checkpointWhen` that replaces old tool results and files by notes. Makes a
 * checkpoint once the context has more than `whenTokens` (estimated), if that frees at least a fifth of them.
 * The last `keepTurns` turns keep their results and files.
 *
 * @throws PawlError `config` for unknown options and invalid numbers. `keepTurns` must be at least 1, because
 * the model has not read the results of the last turn yet.
 *
 * @example
 * ```ts
 * import { agent, dropOldResults, summarize } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([]);
 * const reader = agent({
 *   name: "reader",
 *   model,
 *   instructions: "You read a lot.",
 *   checkpointWhen: [dropOldResults({ whenTokens: 60_000 }), summarize({ model, whenTokens: 120_000 })],
 * });
 * console.log(reader.checkpointWhen.length); // 2
 * ```
 */
export function dropOldResults(options: {
  /** Estimated tokens of the context above which results are replaced. */
  whenTokens: number;
  /** How many of the last turns keep their results, at least 1. Default: 3. */
  keepTurns?: number;
}): CheckpointStrategy {
  checkOptions("dropOldResults()", options, OPTIONS);
  const { whenTokens, keepTurns = 3 } = options;
  checkNumbers("dropOldResults()", { whenTokens });
  checkNumbers("dropOldResults()", { keepTurns }, { least: 1, whole: true });
  return ({ entries, estimatedTokens, mustFreeTokens, estimateTokens }) => {
    if (mustFreeTokens === undefined && estimatedTokens <= whenTokens) return undefined;
    const keepFrom = startOfLastTurns(entries, keepTurns);
    const firstKept = entries[keepFrom];
    const freed = entries
      .slice(0, keepFrom)
      .reduce((sum, entry) => sum + entry.chars - withoutResults(entry).chars, 0);
    if (firstKept === undefined || estimateTokens(freed) < estimatedTokens / 5) return undefined;
    return { reason: "drop_old_results", fromSeq: firstKept.seq };
  };
}
