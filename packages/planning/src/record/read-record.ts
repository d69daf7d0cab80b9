import { type RunContext, textOf } from "@pawl/core";
import { RECORD_EVENTS, withEvent } from "./fold.ts";
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

/** The most messages before the run that are read. */
const EARLIER = 6;

/** Reads the record of the session's current run from the log. */
export async function readRecord({
  read,
  sessionId,
}: Pick<RunContext, "read" | "sessionId">): Promise<ReadRecord> {
  let record = newRecord(sessionId);
  const said: (Spoken & { seq: number })[] = [];
  for await (const event of read({ types: [...RECORD_EVENTS, "assistant_message"] })) {
    record = withEvent(record, event);
    if (event.type === "user_message") said.push({ who: "user", text: event.data.message, seq: event.seq });
    if (event.type !== "assistant_message" || event.data.disposition === "discarded") continue;
    const text = textOf(event.data.content);
    if (text.trim() !== "") said.push({ who: "assistant", text, seq: event.seq });
  }
  const own = new Set(record.messages.map(({ seq }) => seq));
  const before = said.filter(({ seq }) => seq < record.seq && !own.has(seq));
  return { record, earlier: before.slice(-EARLIER).map(({ who, text }) => ({ who, text })) };
}
