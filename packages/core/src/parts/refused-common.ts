import { checkpointEvents } from "../context/checkpoint.ts";
import { isLeftOut } from "../context/refused-content.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
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

/**
 * Returns the earlier entries that are left out because the provider refuses `fresh`, although what was new
 * before was left out: as many as were left out at the end of the context, so that their number doubles with
 * each refused message, and all since the last answer of the agent's model, e.g. answers of another model. If
 * the last answer is paused, returns only that.
 */
export async function suspects(
  leg: Leg,
  fresh: readonly ContextEntry[],
  isPausedAnswer: boolean,
): Promise<ContextEntry[]> {
  const earlier = leg.log.state.entries.filter((entry) => !fresh.includes(entry));
  const kept = earlier.filter((entry) => !isLeftOut(entry));
  if (isPausedAnswer) return kept.filter(({ role }) => role === "assistant").slice(-1);
  const leftOut = earlier.length - 1 - earlier.findLastIndex((entry) => !isLeftOut(entry));
  if (leftOut === 0) return [];
  const accepted = await lastOwnAnswer(leg, kept);
  return kept.filter((_, index) => index >= kept.length - leftOut || index > accepted);
}

/** Returns the index of the last answer of the agent's model that is not a refusal, -1 without one. */
async function lastOwnAnswer(leg: Leg, entries: readonly ContextEntry[]): Promise<number> {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const { role, seq } = entries[index] as ContextEntry;
    const answer = role === "assistant" ? await eventAt(leg, seq) : undefined;
    if (answer?.type !== "assistant_message" || answer.data.stop_reason === "refusal") continue;
    const request = await eventAt(leg, answer.data.attempt);
    if (request?.type === "llm_request" && request.data.model === leg.run.agent.model.id) return index;
  }
  return -1;
}

async function eventAt({ run }: Leg, seq: number): Promise<StoredEvent | undefined> {
  for await (const event of run.read({ afterSeq: seq - 1, limit: 1 })) return event;
  return undefined;
}
