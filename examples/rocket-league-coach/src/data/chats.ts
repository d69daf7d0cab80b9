import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type ChatBlock, type ChatMessage, textOf } from "../base/chat-message.ts";

/** One request of a user, with its reservation. */
export interface Turn {
  reservation_id: string;
  session_id: string;
  user_id: string;
  is_free_preview: boolean;
  state: "open" | "aborted" | "recorded";
}

/** A request to be stored, before its run begins. */
export interface NewTurn {
  reservationId: string;
  sessionId: string;
  userId: string;
  isFreePreview: boolean;
  /** The title of the session if it is new. */
  title: string;
  replayId?: string | undefined;
}

/** A stored message. Rows of the older shape, with text only, have their text as one block. */
export interface StoredMessage extends ChatMessage {
  content_text: string;
  message_id: string;
  created_at: string;
}

/** A session of a user, with its totals. */
export interface ChatSession {
  session_id: string;
  title: string;
  replay_id: string | null;
  message_count: number;
  tokens_used: number;
  created_at: string;
  updated_at: string;
}

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column.replace(/^\w+\./, "")}`;

/** Returns the id of a session's user, or `undefined` if there is no such session. */
export async function ownerOf(db: Database, sessionId: string): Promise<string | undefined> {
  const text = "SELECT user_id FROM rl_coach.chat_session WHERE session_id = $1";
  return (await ask<{ user_id: string }>(db, text, [sessionId]))[0]?.user_id;
}

export async function turnOf(db: Database, reservationId: string): Promise<Turn | undefined> {
  const text = `SELECT reservation_id, session_id, user_id, is_free_preview, state
    FROM rl_coach.chat_turn WHERE reservation_id = $1`;
  return (await ask<Turn>(db, text, [reservationId]))[0];
}

/**
 * Stores a turn, and its session if it is new, in one statement. Storing a turn again changes nothing.
 *
 * @returns the turn's session; `undefined` if that is another user's
 */
export async function openTurn(db: Database, turn: NewTurn, now: number): Promise<string | undefined> {
  const text = `WITH session AS (
      INSERT INTO rl_coach.chat_session AS s (session_id, user_id, title, replay_id, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5::text::timestamptz, $5::text::timestamptz)
      ON CONFLICT (session_id) DO UPDATE SET updated_at = EXCLUDED.updated_at WHERE s.user_id = EXCLUDED.user_id
      RETURNING session_id)
    INSERT INTO rl_coach.chat_turn AS t (reservation_id, session_id, user_id, is_free_preview, created_at)
    SELECT $6, session_id, $2, $7::text::boolean, $5::text::timestamptz FROM session
    ON CONFLICT (reservation_id) DO UPDATE SET reservation_id = EXCLUDED.reservation_id
    RETURNING t.session_id`;
  const { reservationId, sessionId, userId, isFreePreview, title, replayId = null } = turn;
  const at = new Date(now).toISOString();
  const values = [sessionId, userId, title, replayId, at, reservationId, String(isFreePreview)];
  return (await ask<{ session_id: string }>(db, text, values))[0]?.session_id;
}

/**
 * Closes a turn with its messages, in one statement. A turn that is recorded stays as it is, and a message is
 * stored once for its place in the turn. `begunAt` is the time of the messages, ISO 8601. Default: now.
 */
export async function closeTurn(
  db: Database,
  turn: {
    reservationId: string;
    state: "aborted" | "recorded";
    tokensUsed: number;
    messages: readonly ChatMessage[];
    begunAt?: string | undefined;
  },
  now: number,
): Promise<void> {
  const text = `WITH turn AS (
      UPDATE rl_coach.chat_turn
      SET state = $2, tokens_used = greatest(tokens_used, $3::text::bigint)
      WHERE reservation_id = $1 AND state <> 'recorded'
      RETURNING session_id),
    touched AS (
      UPDATE rl_coach.chat_session SET updated_at = $5::text::timestamptz
      WHERE session_id IN (SELECT session_id FROM turn))
    INSERT INTO rl_coach.chat_message
      (session_id, reservation_id, ordinal, role, content, content_json, created_at)
    SELECT turn.session_id, $1, m.ordinal, m.value->>'role', m.value->>'text', m.value->>'blocks',
      $6::text::timestamptz
    FROM turn, json_array_elements($4::text::json) WITH ORDINALITY AS m (value, ordinal)
    ORDER BY m.ordinal
    ON CONFLICT (reservation_id, ordinal) DO NOTHING`;
  const { reservationId, state, tokensUsed, messages, begunAt } = turn;
  const rows = messages.map(({ role, content_blocks, content_text }) => ({
    role,
    text: content_text ?? textOf(content_blocks),
    blocks: storableJson(content_blocks),
  }));
  const at = new Date(now).toISOString();
  await ask(db, text, [reservationId, state, String(tokensUsed), storableJson(rows), at, begunAt ?? at]);
}

/** Returns turns from before a time that are not settled, the oldest first. */
export async function openTurns(db: Database, before: number): Promise<Turn[]> {
  const text = `SELECT reservation_id, session_id, user_id, is_free_preview, state FROM rl_coach.chat_turn
    WHERE state <> 'recorded' AND created_at < $1::text::timestamptz ORDER BY created_at LIMIT 1000`;
  return await ask<Turn>(db, text, [new Date(before).toISOString()]);
}

/** Returns a session's messages in the order in which their runs began. */
export async function messagesOf(db: Database, sessionId: string): Promise<StoredMessage[]> {
  const text = `SELECT message_id::text AS message_id, role, content, content_json, ${time("created_at")}
    FROM rl_coach.chat_message m WHERE session_id = $1 ORDER BY m.created_at, m.message_id`;
  type Row = StoredMessage & { content: string; content_json: string | null };
  const rows = await ask<Row>(db, text, [sessionId]);
  return rows.map(({ message_id, role, content, content_json, created_at }) => {
    const blocks = content_json === null ? textBlocks(content) : (JSON.parse(content_json) as ChatBlock[]);
    return { message_id, role, content_blocks: blocks, content_text: content, created_at };
  });
}

/** Returns a user's newest sessions. */
export async function sessionsOfUser(db: Database, userId: string, limit: number): Promise<ChatSession[]> {
  const text = `SELECT s.session_id, s.title, s.replay_id,
      (SELECT count(*)::integer FROM rl_coach.chat_message m WHERE m.session_id = s.session_id) AS message_count,
      (SELECT coalesce(sum(t.tokens_used), 0)::float8 FROM rl_coach.chat_turn t
        WHERE t.session_id = s.session_id) AS tokens_used,
      ${time("s.created_at")}, ${time("s.updated_at")}
    FROM rl_coach.chat_session s WHERE s.user_id = $1
    ORDER BY s.updated_at DESC, s.session_id LIMIT $2::text::integer`;
  return await ask<ChatSession>(db, text, [userId, String(limit)]);
}

/** A claim that is old, and whose turn was never stored: its process died in between. */
const isLost = (before: string) => `(p.claimed_at < ${before}::text::timestamptz
  AND NOT EXISTS (SELECT FROM rl_coach.chat_turn t WHERE t.reservation_id = p.reservation_id))`;

/**
 * Claims a user's free preview for one turn. Returns whether the turn has it, also if it did before. A claim
 * from before `lostBefore` is void if its turn was never stored.
 */
export async function claimPreview(
  db: Database,
  userId: string,
  reservationId: string,
  { now, lostBefore }: { now: number; lostBefore: number },
): Promise<boolean> {
  const text = `INSERT INTO rl_coach.free_preview AS p (user_id, reservation_id, claimed_at)
    VALUES ($1, $2, $3::text::timestamptz)
    ON CONFLICT (user_id) DO UPDATE SET
      reservation_id = CASE WHEN ${isLost("$4")} THEN EXCLUDED.reservation_id ELSE p.reservation_id END,
      claimed_at = CASE WHEN ${isLost("$4")} THEN EXCLUDED.claimed_at ELSE p.claimed_at END
    RETURNING (p.reservation_id = $2) AS claimed`;
  const values = [userId, reservationId, new Date(now).toISOString(), new Date(lostBefore).toISOString()];
  return (await ask<{ claimed: boolean }>(db, text, values))[0]?.claimed === true;
}

/** Gives a free preview back, because nothing of it was used. */
export async function returnPreview(db: Database, userId: string, reservationId: string): Promise<void> {
  const text = "DELETE FROM rl_coach.free_preview WHERE user_id = $1 AND reservation_id = $2";
  await ask(db, text, [userId, reservationId]);
}

/** Returns whether a user still has the free preview, see {@link claimPreview}. */
export async function hasPreview(db: Database, userId: string, lostBefore: number): Promise<boolean> {
  const text = `SELECT FROM rl_coach.free_preview p WHERE user_id = $1 AND NOT ${isLost("$2")}`;
  return (await ask(db, text, [userId, new Date(lostBefore).toISOString()])).length === 0;
}

function textBlocks(text: string): ChatBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Writes JSON without what Postgres cannot read in it: NUL and halves of surrogate pairs. */
function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, one) =>
    typeof one === "string" ? one.toWellFormed().replaceAll("\0", "\uFFFD") : one,
  );
}
