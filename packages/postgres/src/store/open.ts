import { type Json, type Session, type StoredEvent, usdFromCents } from "@pawl/core";
import {
  checkNames,
  checkText,
  isName,
  jsonbText,
  type OpenedSession,
  type SessionToOpen,
  type Snapshot,
} from "@pawl/core/store";
import { ask, type Database, type Row } from "../database/queryable.ts";
import { iso, isoOf } from "./rows.ts";

/** Implements {@link EventStore.open}. */
export async function open(
  db: Database,
  { id, userId, agent, create, holder, ttlMs, afterSeq = 0, snapshot: version }: SessionToOpen,
): Promise<OpenedSession | undefined> {
  checkNames(holder);
  if (create !== undefined) checkNames(id, userId, agent);
  if (!isName(id) || !isName(userId) || !isName(agent)) return undefined;
  const metadata = create === undefined ? null : jsonbText(create.metadata ?? {});
  const [row] = await ask(db, openSession, [
    id,
    userId,
    agent,
    metadata,
    holder,
    ttlMs,
    afterSeq,
    version ?? null,
  ]);
  const { session, epoch, events } = JSON.parse(String(row?.opened)) as Answer;
  if (session === null) return undefined;
  const acquiredAt = String(row?.acquired);
  const lease = epoch === null ? undefined : { sessionId: id, holder, epoch, acquiredAt };
  const snapshot = row?.seq == null ? undefined : { seq: Number(row.seq), state: String(row.state) };
  return {
    session: toSession(session),
    lease,
    events: events.map((event) => toEvent(id, event)),
    ...(snapshot && { snapshot }),
  };
}

const openSession = `
SELECT opened::text AS opened, seq, state, ${iso("clock_timestamp()")} AS acquired
FROM pawl_open_session($1,$2,$3,$4,$5,$6,$7,$8)`;

/** Implements {@link EventStore.saveSnapshot}. */
export async function saveSnapshot(
  db: Database,
  sessionId: string,
  { version, seq, state }: Snapshot,
): Promise<void> {
  if (!isName(sessionId)) return;
  checkNames(version);
  checkText(state);
  await ask(db, "SELECT pawl_save_snapshot($1,$2,$3,$4)", [sessionId, version, seq, state]);
}

/** What `pawl_open_session` returns in `opened`. */
interface Answer {
  session: Row | null;
  epoch: number | null;
  events: readonly Row[];
}

/** Converts a session as JSON, with times in seconds. */
function toSession(row: Row): Session {
  return {
    id: row.id,
    userId: row.user_id,
    agent: row.agent,
    status: row.status,
    createdAt: isoOf(Number(row.created)),
    updatedAt: isoOf(Number(row.updated)),
    lastSeq: row.last_sequence,
    openRun: row.open_run,
    pending: row.pending,
    wakeAt: row.wake_at === null ? null : isoOf(Number(row.wake_at)),
    contextStartSeq: row.context_start_sequence,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cacheReadTokens: row.cached_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      cacheWrite1hTokens: row.cache_write_1h_tokens,
    },
    costUsd: usdFromCents(Number(row.total_cost_cents)),
    metadata: row.metadata,
  } as Session;
}

/** Converts an event as JSON, with its payload as text. */
function toEvent(sessionId: string, row: Row): StoredEvent {
  const event: Record<string, unknown> = {
    sessionId,
    seq: row.seq,
    v: row.version,
    at: isoOf(Number(row.at)),
    type: row.type,
  };
  if (row.key !== null) event.key = row.key;
  if (row.duration_ms !== null) event.durationMs = row.duration_ms;
  event.data = JSON.parse(String(row.data)) as Json;
  return event as unknown as StoredEvent;
}
