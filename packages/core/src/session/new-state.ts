import { nothingSpent } from "../log/budget.ts";
import { newKeptParts } from "./context-entry.ts";
import type { SessionState } from "./state.ts";

/** Returns the state of an empty log. */
export function newSessionState(sessionId: string): SessionState {
  return {
    sessionId,
    lastSeq: 0,
    lastAt: "",
    prefix: undefined,
    userData: undefined,
    entries: [],
    unsent: [],
    queued: [],
    hashed: { entries: 0, hash: "" },
    requestSeq: 0,
    refusedSeq: 0,
    counted: undefined,
    spent: nothingSpent,
    ownTags: new Map(),
    mode: null,
    handedTo: null,
    run: undefined,
    calls: new Map(),
    asked: new Map(),
    earlierCalls: "\n",
    earlierQuestions: new Map(),
    kept: newKeptParts(),
  };
}
