import { type RunContext, type StoredEvent, textOf } from "@pawl/core";
import { hiddenBy } from "@pawl/core/tools";
import { RECORD_EVENTS } from "./events.ts";
import { withEvent } from "./fold.ts";
import { newRecord, type RunRecord } from "./record.ts";

/** A message of the conversation before the run. */
export interface Spoken {
  who: "user" | "assistant";
  text: string;
}

/** The record of a run, and the last messages before it. */
export interface ReadRecord {
  record: RunRecord;
  earlier: Spoken[];
}

/** Reads the record of a session's current run from the log. */
export type ReadRun = (context: Pick<RunContext, "read" | "sessionId" | "runId">) => Promise<ReadRecord>;

/** A session folded up to `lastSeq`. */
interface Folded {
  record: RunRecord;
  said: readonly (Spoken & { seq: number })[];
  lastSeq: number;
}

/** The most messages before the run that are read. */
const EARLIER = 6;

/** The number of messages that are kept of a session: enough to have some from before the run. */
const KEPT = 50;

/** How many sessions are kept. */
const MOST_SESSIONS = 100;

/**
 * Returns a function that reads records. It caches the records of the last sessions, so that each event of a
 * long session is read once. The log stays the only state: what is cached can be folded again.
 */
export function recordReader(): ReadRun {
  const kept = new Map<string, Folded>();
  return async ({ read, sessionId, runId }) => {
    const before = kept.get(sessionId);
    let folded = before && (await foldedAfter(before, read));
    // A redaction changes earlier events. A record of another run is from another store, e.g. in tests.
    if (folded?.record.runId !== runId) folded = await foldedAfter(nothing(sessionId), read);
    if (folded === undefined) return { record: newRecord(sessionId), earlier: [] };
    kept.delete(sessionId);
    kept.set(sessionId, folded);
    const [oldest] = kept.keys();
    if (kept.size > MOST_SESSIONS && oldest !== undefined) kept.delete(oldest);
    const { record, said } = folded;
    const own = new Set(record.messages.map(({ seq }) => seq));
    const earlier = said.filter(({ seq }) => seq < record.seq && !own.has(seq)).slice(-EARLIER);
    return { record, earlier: earlier.map(({ who, text }) => ({ who, text })) };
  };
}

function nothing(sessionId: string): Folded {
  return { record: newRecord(sessionId), said: [], lastSeq: 0 };
}

const TYPES = [...RECORD_EVENTS, "assistant_message", "redaction"] as const;

/** Folds the events after `lastSeq`. Returns `undefined` if one of them redacts an event before. */
async function foldedAfter(
  { record: start, said: saidBefore, lastSeq: afterSeq }: Folded,
  read: RunContext["read"],
): Promise<Folded | undefined> {
  let [record, lastSeq] = [start, afterSeq];
  let said = [...saidBefore];
  for await (const event of read({ types: [...TYPES], afterSeq })) {
    if (event.type === "redaction" && event.data.seq <= afterSeq) return undefined;
    record = withEvent(record, event);
    lastSeq = event.seq;
    const spoken = spokenIn(event);
    if (spoken !== undefined) said.push({ ...spoken, seq: event.seq });
    const hidden = event.type === "checkpoint" ? hiddenBy(event.data) : [];
    if (hidden.length > 0) said = said.filter(({ seq }) => !hidden.includes(seq));
  }
  return { record, said: said.slice(-KEPT), lastSeq };
}

function spokenIn(event: StoredEvent): Spoken | undefined {
  if (event.type === "user_message") return { who: "user", text: event.data.message };
  if (event.type !== "assistant_message" || event.data.disposition === "discarded") return undefined;
  const text = textOf(event.data.content);
  return text.trim() === "" ? undefined : { who: "assistant", text };
}
