import type { ModelFailure } from "../base/errors.ts";
import { haveMedia } from "../context/file-blocks.ts";
import { tooManyFiles } from "../context/file-limits.ts";
import { isPaused } from "../context/server-calls.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import { CONTEXT_WINDOW, REFUSAL } from "../log/stop-reason.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Refusal, RefusalOutcome } from "../loop/leg/part-types.ts";
import { isThinking } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { openRun } from "../session/state.ts";
import { NOTHING, newEntries, refusedCheckpoint, type Sent, suspects } from "./refused-common.ts";
import { afterSize } from "./refused-size.ts";

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
  const outcome = await refusalOutcome(
    leg,
    { by, message },
    { uptoSeq, isSecond: run.refusedAt === run.turns },
  );
  if (!isResumed || !outcome.again) return outcome;
  // The model resumes a paused answer only if it is unchanged, and a checkpoint removes its thinking.
  const { events } = outcome;
  const stop = by === "size" ? CONTEXT_WINDOW : by === "filter" ? REFUSAL : undefined;
  return { events, again: false, ...(stop && { stop }) };
}

async function refusalOutcome(
  leg: Leg,
  { by, message }: { by: Exclude<RefusedContent["by"], "hook">; message: string },
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
      return await afterModelsRefusal(leg, sent);
  }
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
 * are left out, and the run ends. If the filter still refuses the next message, earlier entries or a paused
 * answer must be at fault, and are left out.
 */
async function afterFilter(leg: Leg, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const fresh = newEntries(leg);
  const byUser = await messagesAmong(leg, fresh);
  const byOthers = [
    ...fresh.filter(({ seq }) => !byUser.has(seq)),
    ...(isSecond ? [] : await suspects(leg, fresh, isPaused(leg.log.state))),
  ];
  const again = !isSecond && byOthers.length > 0;
  const events = (again ? byOthers : fresh).map(({ seq }) => ({ seq, keep: 0 }));
  if (events.length === 0) return { ...NOTHING, stop: REFUSAL };
  const checkpoint = refusedCheckpoint(leg, { by: "filter", events }, uptoSeq);
  return again ? { events: checkpoint, again } : { events: checkpoint, again, stop: REFUSAL };
}

/** Returns the `seq`s of those entries that are messages of the user, or notes with a fixed text of Pawl. */
async function messagesAmong(leg: Leg, entries: readonly ContextEntry[]): Promise<Set<number>> {
  const afterSeq = Math.min(...entries.map(({ seq }) => seq)) - 1;
  const seqs = new Set<number>();
  if (entries.length === 0) return seqs;
  for await (const event of leg.run.read({ afterSeq, types: ["user_message", "note"] }))
    if (event.type !== "note" || event.data.landing || event.data.reminder) seqs.add(event.seq);
  return seqs;
}

/**
 * Leaves out what the model has refused to answer for the second time in a row. If something has come since
 * the first time, asks again with that alone. If the model refuses a message although all before it was left
 * out, earlier entries must be at fault, and are left out.
 */
async function afterModelsRefusal(leg: Leg, { uptoSeq, isSecond }: Sent): Promise<RefusalOutcome> {
  const { refusedSeq } = leg.log.state;
  const fresh = newEntries(leg);
  const refusedBefore = fresh.filter(({ seq }) => seq < refusedSeq);
  const suspected = isSecond ? [] : [...refusedBefore, ...(await suspects(leg, fresh, false))];
  const again = !isSecond && (fresh.length === 0 || refusedBefore.length < fresh.length);
  const refused = again ? suspected : fresh;
  if (refused.length === 0) return NOTHING;
  const events = refused.map(({ seq }) => ({ seq, keep: 0 }));
  return { events: refusedCheckpoint(leg, { by: "model", events }, uptoSeq), again };
}
