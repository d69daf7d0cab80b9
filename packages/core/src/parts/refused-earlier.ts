import { isLeftOut } from "../context/refused-content.ts";
import type { StoredEvent } from "../log/event.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { ContextEntry } from "../session/context-entry.ts";

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
