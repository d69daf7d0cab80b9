import type { ModelFailure } from "../base/errors.ts";
import { checkpointEvents, isBoundary } from "../context/checkpoint.ts";
import { haveMedia } from "../context/file-blocks.ts";
import { tooManyFiles } from "../context/file-limits.ts";
import { isLeftOut, withoutRefused } from "../context/refused-content.ts";
import { isPaused } from "../context/server-calls.ts";
import type { NewEvent } from "../log/event.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import { CONTEXT_WINDOW, REFUSAL } from "../log/stop-reason.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Refusal, RefusalOutcome } from "../loop/leg/part-types.ts";
import { isThinking } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { openRun } from "../session/state.ts";
import { checkpointByStrategy } from "./checkpoints.ts";

type Change = RefusedContent["events"][number];

/**
 * Decides what follows a request that the model's provider has refused for its content, so that no later
 * request contains that content unchanged. Returns the events of a checkpoint without it, whether the model
 * is asked once more, and otherwise why the run ends. `uptoSeq` is the last event that the request contains.
 *
 * A turn is asked once more. If the provider refuses that request, too, more is left out, and the run ends.
 */
export async function afterRefusal(leg: Leg, refusal: Refusal, uptoSeq: number): Promise<RefusalOutcome> {
  const run = openRun(leg.log.state);
  const by = refusal === "by the model" ? "model" : refusedBy(refusal);
  if (run === undefined || by === undefined) return NOTHING;
  const message = typeof refusal === "string" ? "" : refusal.message;
  const isResumed = isPaused(leg.log.state);
  const outcome = await outcomeOf(leg, { by, message }, { uptoSeq, isSecond: run.refusedAt === run.turns });
  if (!isResumed || !outcome.again) return outcome;
  // The model resumes a paused answer only if it is unchanged, and a checkpoint removes its thinking.
  const { events } = outcome;
  const stop = by === "size" ? CONTEXT_WINDOW : by === "filter" ? REFUSAL : undefined;
  return { events, again: false, ...(stop && { stop }) };
}

async function outcomeOf(
  leg: Leg,
  { by, message }: { by: RefusedContent["by"]; message: string },
  sent: Sent,
): Promise<RefusalOutcome> {
  switch (by) {
    case "size":
      return await afterSize(leg, message, sent);
    case "files":
      return afterFiles(leg, message, sent);
    case "signature":
      if (sent.isSecond || !leg.log.state.entries.some(({ blocks }) => blocks.some(isThinking)))
        return NOTHING;
      // The new prefix after the checkpoint removes all thinking.
      return { events: refusedCheckpoint(leg, { by, events: [] }, sent.uptoSeq), again: true };
    case "filter":
      return await afterFilter(leg, sent);
    case "model":
      return afterModelsRefusal(leg, sent);
  }
}

const NOTHING: RefusalOutcome = { events: [], again: false };

/** What is known of a refused request. */
interface Sent {
  /** `seq` of the last event that it contains. */
  uptoSeq: number;
  /** Whether an earlier request of the same turn was refused for its content, too. */
  isSecond: boolean;
}

/** Matches the messages with which APIs refuse thinking that they have not signed. */
const ABOUT_SIGNATURES = /signature|thinking|reasoning_content/i;

/** Matches the messages with which APIs refuse files, e.g. "Could not process image". */
const ABOUT_FILES = /image|picture|pdf|document|file|media/i;

/** The HTTP statuses with which APIs refuse content: as invalid, too large or of another type. */
const OF_CONTENT: readonly unknown[] = [400, 413, 415, 422];

/** Returns for what a failure says that the request was refused; `undefined` for another failure. */
function refusedBy({ status, errorCode, message }: ModelFailure & { message: string }) {
  if (errorCode === "context_length_exceeded") return "size";
  if (errorCode === "content_filter") return "filter";
  if (!OF_CONTENT.includes(status)) return undefined;
  if (ABOUT_SIGNATURES.test(message)) return "signature";
  if (ABOUT_FILES.test(message)) return "files";
  return status === 413 ? "size" : undefined;
}

/** Returns the events of a checkpoint that changes what was refused. Drops the context before `fromSeq`. */
function refusedCheckpoint(
  leg: Leg,
  refused: RefusedContent,
  uptoSeq: number,
  fromSeq?: number,
): NewEvent[] {
  const { state } = leg.log;
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

/** The smallest length to which an entry is shortened because the request was too long, in characters. */
const SHORTEST = 500;

/**
 * Shortens the context after a request that was too long: asks the agent's strategies, removes new files,
 * shortens the longest entries, and drops the oldest ones if that is not enough.
 */
async function afterSize(leg: Leg, message: string, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const before = promptChars(leg);
  const allowed = Math.floor(before * (isSecond ? 1 / 4 : allowedShare(message, before)));
  if (!isSecond && !isPaused(leg.log.state)) await checkpointByStrategy(leg, before - allowed);
  const { entries, prefix } = leg.log.state;
  const most = allowed - (prefix?.chars ?? 0);
  const newFiles = newEntries(leg).filter(({ blocks }) => haveMedia(blocks));
  const longest = longestEntries(entries, most);
  const refused = { by: "size" as const, events: [...longest, ...withoutDuplicates(newFiles, longest)] };
  const short = withoutRefused(entries, refused);
  const fromSeq = oldestKept(short, most);
  if (fromSeq === undefined && charsOf(short) + (prefix?.chars ?? 0) >= before)
    return { ...NOTHING, stop: CONTEXT_WINDOW };
  const checkpoint = refusedCheckpoint(leg, refused, uptoSeq, fromSeq);
  return isSecond
    ? { events: checkpoint, again: false, stop: CONTEXT_WINDOW }
    : { events: checkpoint, again: true };
}

/** Returns the length of the prompt in characters, as it would be sent again. */
function promptChars({ log: { state } }: Leg): number {
  return charsOf(state.entries) + (state.prefix?.chars ?? 0);
}

function charsOf(entries: readonly ContextEntry[]): number {
  return entries.reduce((sum, { chars }) => sum + chars, 0);
}

/**
 * Returns the `seq` of the first entry to keep, so that the kept ones have at most `most` characters and begin
 * with a message; that of the last message if even it is longer. Returns `undefined` if about all of them fit.
 */
function oldestKept(entries: readonly ContextEntry[], most: number): number | undefined {
  // A shortened entry is a little longer than asked for.
  if (charsOf(entries) <= 1.2 * Math.max(0, most)) return undefined;
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

/**
 * Returns what the model has not accepted yet: the entries after its last answer, except for those that were
 * left out before.
 */
function newEntries({ log: { state } }: Leg): ContextEntry[] {
  const lastAnswer = state.entries.findLastIndex(({ role }) => role === "assistant");
  return state.entries.slice(lastAnswer + 1).filter((entry) => !isLeftOut(entry));
}

/**
 * Replaces refused files by notes: the new ones, or earlier ones if the provider says that they are too many.
 */
function afterFiles(leg: Leg, message: string, { uptoSeq, isSecond }: Sent): RefusalOutcome {
  if (isSecond) return NOTHING;
  const withFiles = leg.log.state.entries.filter(({ blocks }) => haveMedia(blocks));
  const fresh = newEntries(leg).filter(({ blocks }) => haveMedia(blocks));
  const earlier = tooManyFiles(message) ? withFiles.slice(0, -1) : [];
  const refused = earlier.length > 0 ? earlier : fresh;
  if (refused.length === 0) return NOTHING;
  const events = refused.map(({ seq }) => ({ seq }));
  return { events: refusedCheckpoint(leg, { by: "files", events }, uptoSeq), again: true };
}

/**
 * Leaves out what a filter has refused. First what others wrote, e.g. tool results and knowledge; if nothing
 * of it is new or the filter refuses the rest, too, also what the user wrote, and the run ends. If the filter
 * still refuses the next message, the model's last answer is at fault, or a paused one.
 */
async function afterFilter(leg: Leg, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const fresh = newEntries(leg);
  const byUser = await messagesAmong(leg, fresh);
  const byOthers = [...fresh.filter(({ seq }) => !byUser.has(seq)), ...suspectedAnswer(leg, isSecond)];
  const again = !isSecond && byOthers.length > 0;
  const events = (again ? byOthers : fresh).map(({ seq }) => ({ seq, keep: 0 }));
  if (events.length === 0) return { ...NOTHING, stop: REFUSAL };
  const checkpoint = refusedCheckpoint(leg, { by: "filter", events }, uptoSeq);
  return again ? { events: checkpoint, again } : { events: checkpoint, again, stop: REFUSAL };
}

/** Returns the model's last answer if all that came after it was left out before, or nothing came. */
function suspectedAnswer({ log: { state } }: Leg, isSecond: boolean): ContextEntry[] {
  const index = state.entries.findLastIndex(({ role }) => role === "assistant");
  const answer = state.entries[index];
  if (isSecond || answer === undefined || isLeftOut(answer)) return [];
  return isPaused(state) || state.entries.slice(index + 1).some(isLeftOut) ? [answer] : [];
}

/** Returns the `seq`s of those entries that are messages of the user. */
async function messagesAmong(leg: Leg, entries: readonly ContextEntry[]): Promise<Set<number>> {
  const afterSeq = Math.min(...entries.map(({ seq }) => seq)) - 1;
  const seqs = new Set<number>();
  if (entries.length === 0) return seqs;
  for await (const { seq } of leg.run.read({ afterSeq, types: ["user_message"] })) seqs.add(seq);
  return seqs;
}

/**
 * Leaves out what the model has refused to answer for the second time in a row. If something has come since
 * the first time, asks again with that alone.
 */
function afterModelsRefusal(leg: Leg, { uptoSeq, isSecond }: Sent): RefusalOutcome {
  const { refusedSeq } = leg.log.state;
  const fresh = newEntries(leg);
  const refusedBefore = fresh.filter(({ seq }) => seq < refusedSeq);
  if (refusedBefore.length === 0 && !isSecond) return NOTHING;
  const again = !isSecond && refusedBefore.length < fresh.length;
  const events = (again ? refusedBefore : fresh).map(({ seq }) => ({ seq, keep: 0 }));
  return { events: refusedCheckpoint(leg, { by: "model", events }, uptoSeq), again };
}
