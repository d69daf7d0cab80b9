import type { ModelFailure } from "../base/errors.ts";
import { checkpointEvents } from "../context/checkpoint.ts";
import { haveMedia } from "../context/file-blocks.ts";
import { tooManyFiles } from "../context/file-limits.ts";
import { isLeftOut } from "../context/refused-content.ts";
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
 * Decides what to do after the model's provider has refused a request for its content. No later request may
 * contain that content unchanged. Returns the events of a checkpoint without it, and whether to ask the model
 * once more; if not, why the run ends. `uptoSeq` is the last event that the request contains.
 *
 * In each turn, the model is asked at most once more. If the provider refuses that request, too, more is left
 * out, and the run ends.
 */
export async function afterRefusal(leg: Leg, refusal: Refusal, uptoSeq: number): Promise<RefusalOutcome> {
  const run = openRun(leg.log.state);
  const by = refusal === "by the model" ? "model" : refusedBy(refusal);
  if (run === undefined || by === undefined) return NOTHING;
  const isSecond = run.refusedAt === run.turns;
  switch (by) {
    case "size":
      return await afterSize(leg, (refusal as { message: string }).message, { uptoSeq, isSecond });
    case "files":
      return afterFiles(leg, (refusal as { message: string }).message, { uptoSeq, isSecond });
    case "signature":
      if (isSecond || !leg.log.state.entries.some(({ blocks }) => blocks.some(isThinking))) return NOTHING;
      // The new prefix after the checkpoint removes all thinking.
      return { events: refusedCheckpoint(leg, { by, events: [] }, uptoSeq), again: true };
    case "filter":
      return await afterFilter(leg, { uptoSeq, isSecond });
    case "model":
      return afterModelsRefusal(leg, { uptoSeq, isSecond });
  }
}

const NOTHING: RefusalOutcome = { events: [], again: false };

/** A refused request. */
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

/** Returns why a request was refused, by its failure; `undefined` for a failure of another kind. */
function refusedBy({ status, errorCode, message }: ModelFailure & { message: string }) {
  if (errorCode === "context_length_exceeded") return "size";
  if (errorCode === "content_filter") return "filter";
  if (!OF_CONTENT.includes(status)) return undefined;
  if (ABOUT_SIGNATURES.test(message)) return "signature";
  if (ABOUT_FILES.test(message)) return "files";
  return status === 413 ? "size" : undefined;
}

/** Returns the events of a checkpoint that changes what was refused. */
function refusedCheckpoint(leg: Leg, refused: RefusedContent, uptoSeq: number): NewEvent[] {
  const { state } = leg.log;
  const [first] = state.entries;
  if (first === undefined) return [];
  // Processes of an earlier version ignore `refused`. As `from_seq` is the first entry, they replace nothing.
  const data = {
    ...{ from_seq: first.seq, upto_seq: uptoSeq, reason: "drop_old_results" as const },
    ...{ only: "refused" as const, refused },
  };
  return checkpointEvents(state, {}, data, leg.run.newId());
}

/** The smallest length to which an entry is shortened because the request was too long, in characters. */
const SHORTEST = 500;

/**
 * Shortens the context after a request that was too long. Asks the agent's strategies first. Then removes new
 * files, and shortens the longest entries.
 */
async function afterSize(leg: Leg, message: string, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const before = promptChars(leg);
  const allowed = Math.floor(before * (isSecond ? 1 / 4 : allowedShare(message)));
  if (!isSecond && !isPaused(leg.log.state)) await checkpointByStrategy(leg, before - allowed);
  const { entries, prefix } = leg.log.state;
  const newFiles = newEntries(leg).filter(({ blocks }) => haveMedia(blocks));
  const longest = longestEntries(entries, allowed - (prefix?.chars ?? 0));
  const events = [...longest, ...withoutDuplicates(newFiles, longest)];
  if (events.length === 0 && promptChars(leg) === before) return { ...NOTHING, stop: CONTEXT_WINDOW };
  const checkpoint = refusedCheckpoint(leg, { by: "size", events }, uptoSeq);
  return isSecond
    ? { events: checkpoint, again: false, stop: CONTEXT_WINDOW }
    : { events: checkpoint, again: true };
}

/** Returns the length of the next prompt in characters, without new events. */
function promptChars({ log: { state } }: Leg): number {
  return state.entries.reduce((sum, { chars }) => sum + chars, state.prefix?.chars ?? 0);
}

/**
 * Returns the share of a refused prompt to keep. The messages of many APIs have the number of the prompt's
 * tokens and the number that is allowed, e.g. "prompt is too long: 210000 tokens > 200000 maximum". Then a
 * fifth of the allowed tokens is left for the answer. Without these numbers, half of the prompt is kept.
 */
function allowedShare(message: string): number {
  const counts = (message.match(/\b\d[\d,]{3,9}\b/g) ?? []).map((count) => Number(count.replaceAll(",", "")));
  const [most, next] = [...new Set(counts)].sort((a, b) => b - a);
  if (most === undefined || next === undefined) return 0.5;
  return Math.min(0.9, Math.max(0.01, (0.8 * next) / most));
}

/**
 * Returns the longest entries, each with the length to cut it to: the same for all of them, so that all
 * entries of the context have at most `allowed` characters together.
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

/** Returns a change that removes each entry's files, except for entries that already have a change. */
function withoutDuplicates(entries: readonly ContextEntry[], changed: readonly Change[]): Change[] {
  const seqs = new Set(changed.map(({ seq }) => seq));
  return entries.flatMap(({ seq }) => (seqs.has(seq) ? [] : [{ seq }]));
}

/**
 * Returns the entries that the model has not accepted yet: those after its last answer, without those that
 * were left out before.
 */
function newEntries({ log: { state } }: Leg): ContextEntry[] {
  const lastAnswer = state.entries.findLastIndex(({ role }) => role === "assistant");
  return state.entries.slice(lastAnswer + 1).filter((entry) => !isLeftOut(entry));
}

/** Replaces refused files by notes: new files, or earlier ones if the provider refused their number. */
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
 * Leaves out what a filter has refused. At first, these are new entries that the user did not write, e.g.
 * tool results and knowledge. If there is no such entry, or the filter refuses the rest, too, all new entries
 * are left out, and the run ends.
 */
async function afterFilter(leg: Leg, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const fresh = newEntries(leg);
  const byUser = await messagesAmong(leg, fresh);
  const byOthers = fresh.filter(({ seq }) => !byUser.has(seq));
  const again = !isSecond && byOthers.length > 0;
  const events = (again ? byOthers : fresh).map(({ seq }) => ({ seq, keep: 0 }));
  if (events.length === 0) return { ...NOTHING, stop: REFUSAL };
  const checkpoint = refusedCheckpoint(leg, { by: "filter", events }, uptoSeq);
  return again ? { events: checkpoint, again } : { events: checkpoint, again, stop: REFUSAL };
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
 * Leaves out the entries that the model has refused twice in a row. If there are newer ones, asks once more
 * with those.
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
