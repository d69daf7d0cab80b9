import { checkpointEvents } from "../context/checkpoint.ts";
import { isLeftOut } from "../context/refused-content.ts";
import type { NewEvent } from "../log/event.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { RefusalOutcome } from "../loop/leg/part-types.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";

/** Changes nothing, and does not ask again. */
export const NOTHING: RefusalOutcome = { events: [], again: false };

/** What is known of a refused request. */
export interface Sent {
  /** `seq` of the last event that it contains. */
  uptoSeq: number;
  /** Whether an earlier request of the same turn was refused for its content, too. */
  isSecond: boolean;
}

/** Returns the events of a checkpoint that changes what was refused. Drops the context before `fromSeq`. */
export function refusedCheckpoint(
  leg: Leg,
  refused: RefusedContent,
  uptoSeq: number,
  fromSeq?: number,
  state: SessionState = leg.log.state,
): NewEvent[] {
  const [first] = state.entries;
  if (first === undefined) return [];
  // Processes of an earlier version ignore `refused`. If `from_seq` is the first entry, they replace nothing.
  const data = {
    ...{ from_seq: fromSeq ?? first.seq, upto_seq: uptoSeq },
    reason: fromSeq === undefined ? ("drop_old_results" as const) : ("start" as const),
    ...{ only: "refused" as const, refused },
  };
  return checkpointEvents(state, leg.run.agent, data, leg.run.newId());
}

/**
 * Returns what the model has not accepted yet: the entries after its last answer, and a summary that was made
 * since then, except for what was left out before.
 */
export function newEntries({ log: { state } }: Leg): ContextEntry[] {
  const lastAnswer = state.entries.findLastIndex(({ role }) => role === "assistant");
  const answerSeq = state.entries[lastAnswer]?.seq ?? 0;
  return state.entries.filter(
    (entry, index) => (index > lastAnswer || entry.seq > answerSeq) && !isLeftOut(entry),
  );
}
