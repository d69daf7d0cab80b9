import type { Hook } from "@pawl/core";
import { rulesOf } from "../sessions/session-types.ts";

/** The most tokens of a goodbye, once the session is completed. */
export const GOODBYE_TOKENS = 2_048;

/**
 * Sets the longest answer of each turn by the kind of turn: a life map writes several files at once, and a
 * goodbye is short. The lengths are in the table of session types.
 */
export function answerLength(): Hook {
  return {
    name: "answer-length",
    beforeTurn: (_plan, { run, type }) => {
      const { maxTokens } = rulesOf(type);
      const isGoodbye = run.sessionStatus === "completed";
      return { maxTokens: isGoodbye ? Math.min(GOODBYE_TOKENS, maxTokens) : maxTokens };
    },
  };
}
