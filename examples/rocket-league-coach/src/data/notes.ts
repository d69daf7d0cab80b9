import { ask, idFrom } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { CoachingNote } from "../base/shapes.ts";

/** A note to be stored. */
export interface NewNote {
  /** Identifies the tool call and is the same in every attempt. A repeated key stores nothing. */
  callKey: string;
  topic: string;
  text: string;
  replayId?: string | undefined;
}

const COLUMNS = `n.note_id, n.topic, n.body AS text, n.replay_id,
  to_char(n.written_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS written_at`;

/** Stores a note and returns it. If its key is stored already, returns the note that is stored. */
export async function saveNote(
  db: Database,
  userId: string,
  { callKey, topic, text, replayId }: NewNote,
  now: number,
): Promise<CoachingNote> {
  // The update changes nothing. Without it the statement would not return a row that was there before.
  const insert = `INSERT INTO rl_coach.note AS n (user_id, call_key, note_id, topic, body, replay_id, written_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7::text::timestamptz)
    ON CONFLICT (user_id, call_key) DO UPDATE SET call_key = EXCLUDED.call_key
    RETURNING ${COLUMNS}`;
  const id = idFrom(`note:${userId}:${callKey}`);
  const at = new Date(now).toISOString();
  const [note] = await ask<CoachingNote>(db, insert, [
    userId,
    callKey,
    id,
    topic,
    text,
    replayId ?? null,
    at,
  ]);
  return note as CoachingNote;
}

/** Returns the user's newest notes, the newest first. */
export async function notesOf(
  db: Database,
  userId: string,
  { topic, limit }: { topic?: string | undefined; limit: number },
): Promise<CoachingNote[]> {
  const text = `SELECT ${COLUMNS} FROM rl_coach.note n
    WHERE n.user_id = $1 AND ($2::text IS NULL OR lower(n.topic) = lower($2::text))
    ORDER BY n.written_at DESC, n.note_id LIMIT $3::text::integer`;
  return await ask(db, text, [userId, topic ?? null, String(limit)]);
}
