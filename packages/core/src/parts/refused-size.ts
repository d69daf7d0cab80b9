import { isBoundary } from "../context/checkpoint.ts";
import { haveMedia } from "../context/file-blocks.ts";
import { withoutRefused } from "../context/refused-content.ts";
import { isPaused } from "../context/server-calls.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import { CONTEXT_WINDOW } from "../log/stop-reason.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { RefusalOutcome } from "../loop/leg/part-types.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { checkpointByStrategy } from "./checkpoints.ts";
import { NOTHING, newEntries, refusedCheckpoint, type Sent } from "./refused-common.ts";
import { withAcceptedUserData } from "./refused-user-data.ts";

type Change = RefusedContent["events"][number];

/** The smallest length to which an entry is shortened because the request was too long, in characters. */
const SHORTEST = 500;

/**
 * Shortens the context after a request that was too long: asks the agent's strategies, removes new files,
 * shortens the longest entries, and drops the oldest ones if that is not enough.
 */
export async function afterSize(
  leg: Leg,
  message: string,
  { uptoSeq, isSecond }: Sent,
): Promise<RefusalOutcome> {
  const before = promptChars(leg);
  const allowed = Math.floor(before * (isSecond ? 1 / 8 : allowedShare(message, before)));
  if (!isSecond && !isPaused(leg.log.state)) await checkpointByStrategy(leg, before - allowed);
  const { entries, prefix } = leg.log.state;
  const most = allowed - (prefix?.chars ?? 0);
  const newFiles = newEntries(leg).filter(({ blocks }) => haveMedia(blocks));
  const longest = longestEntries(entries, most);
  const refused = { by: "size" as const, events: [...longest, ...withoutDuplicates(newFiles, longest)] };
  const short = withoutRefused(entries, refused);
  const fromSeq = oldestKept(short, most);
  if (fromSeq === undefined && totalChars(short) + (prefix?.chars ?? 0) >= before)
    return { ...NOTHING, stop: CONTEXT_WINDOW };
  const state = await withAcceptedUserData(leg, short, refused.events);
  const checkpoint = refusedCheckpoint(leg, refused, uptoSeq, fromSeq, state);
  return isSecond
    ? { events: checkpoint, again: false, stop: CONTEXT_WINDOW }
    : { events: checkpoint, again: true };
}

/** Returns the length of the prompt in characters, as it would be sent again. */
function promptChars({ log: { state } }: Leg): number {
  return totalChars(state.entries) + (state.prefix?.chars ?? 0);
}

function totalChars(entries: readonly ContextEntry[]): number {
  return entries.reduce((sum, { chars }) => sum + chars, 0);
}

/**
 * Returns the `seq` of the first entry to keep, so that the kept ones have at most `most` characters and
 * begin with a message. Keeps the last message even if it is longer. Returns `undefined` if about all of them
 * fit.
 */
function oldestKept(entries: readonly ContextEntry[], most: number): number | undefined {
  // A shortened entry is a little longer than asked for.
  if (totalChars(entries) <= 1.2 * Math.max(0, most)) return undefined;
  let left = most;
  let kept: number | undefined;
  for (let index = entries.length - 1; index > 0; index -= 1) {
    const { seq, chars } = entries[index] as ContextEntry;
    left -= chars;
    if (left < 0 && kept !== undefined) break;
    if (isBoundary(entries, index, true)) kept = seq;
  }
  return kept;
}

/** Matches the number that an API names as its limit, e.g. "maximum context length is 8192 tokens". */
const LIMIT = /(?:maximum|limit|allowed|size)[^\d.]{0,40}(\d[\d,]{3,9})\b/i;

/**
 * Returns the share of a refused prompt that the model accepts. Many APIs say how many tokens the prompt has
 * and how many are allowed, e.g. "prompt is too long: 210000 tokens > 200000 maximum". A fifth of these is
 * left for the answer. Otherwise, half of the prompt is kept.
 *
 * @param chars the length of the prompt: a larger number in the message does not count its tokens
 */
function allowedShare(message: string, chars: number): number {
  const numberOf = (count: string) => Number(count.replaceAll(",", ""));
  const all = (message.match(/\b\d[\d,]{3,9}\b/g) ?? []).map(numberOf);
  const counts = new Set(all.filter((count) => count > 0 && count <= 4 * chars));
  const [most, next] = [...counts].sort((a, b) => b - a);
  if (most === undefined || next === undefined) return 0.5;
  const named = numberOf(LIMIT.exec(message)?.[1] ?? "");
  const limit = counts.has(named) && named < most ? named : next;
  return Math.min(0.9, Math.max(0.01, (0.8 * limit) / most));
}

/**
 * Returns the entries that are longer than a length, so that with this length for each of them, all entries
 * have at most `allowed` characters.
 */
function longestEntries(entries: readonly ContextEntry[], allowed: number): Change[] {
  const lengths = entries.map(({ chars }) => chars).sort((a, b) => a - b);
  let left = allowed;
  let keep = Number.POSITIVE_INFINITY;
  for (const [index, chars] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (chars > share) {
      keep = Math.max(SHORTEST, share);
      break;
    }
    left -= chars;
  }
  return entries.filter(({ chars }) => chars > keep).map(({ seq }) => ({ seq, keep }));
}

/** Returns a change of each entry's files, except for entries that are changed otherwise. */
function withoutDuplicates(entries: readonly ContextEntry[], changed: readonly Change[]): Change[] {
  const seqs = new Set(changed.map(({ seq }) => seq));
  return entries.flatMap(({ seq }) => (seqs.has(seq) ? [] : [{ seq }]));
}
