import type { AgentAtWork, LivePart, LiveReport, LiveState } from "@pawl/core/store";
import { ask, type Database } from "../database/queryable.ts";

/** A row of the table `agent_session_live`: the live state of one session. */
export interface LiveRow {
  /** Id of the leg that wrote the row. */
  leg: string;
  /** Counts the leg's writes, from 1. */
  version: number;
  attempt: number;
  /** The live state; absent if the reader already has this version. */
  account: Account | undefined;
}

interface Account {
  parts: (Pick<LivePart, "index" | "kind" | "tool"> & { text: string })[];
  /** Read by earlier versions of Pawl, which had the last report of each call here. */
  progress: [];
  /** Absent in rows of an earlier version of Pawl. */
  reports?: LiveReport[];
  /** Absent in rows of an earlier version of Pawl. */
  agents?: [callId: string, agent: AgentAtWork][];
}

/** Writes a leg's live state. Resolves to its length as JSON, in characters. */
export async function writeLive(
  db: Database,
  sessionId: string,
  { leg, version, state }: { leg: string; version: number; state: LiveState },
): Promise<number> {
  const account: Account = {
    parts: state.parts.map(({ pieces, ...part }) => ({ ...part, text: pieces.join("") })),
    progress: [],
    reports: state.reports.filter(({ endedAt }) => endedAt === undefined),
    agents: [...state.agents],
  };
  const data = JSON.stringify(account);
  await ask(db, write, [sessionId, leg, version, state.attempt, data]);
  return data.length;
}

const write = `
INSERT INTO agent_session_live AS l (session_id, leg, version, attempt, data)
VALUES ($1::text, $2::text, $3::integer, $4::integer, $5::text)
ON CONFLICT (session_id) DO UPDATE SET leg = excluded.leg, version = excluded.version, attempt = excluded.attempt,
  data = excluded.data, updated_at = excluded.updated_at`;

/** The version of a session's row that a reader has. */
export interface Known {
  id: string;
  leg: string;
  version: number;
}

/** Reads the rows of these sessions, in the same order; `undefined` for a session without a row. */
export async function readLive(db: Database, known: readonly Known[]): Promise<(LiveRow | undefined)[]> {
  const rows: (LiveRow | undefined)[] = known.map(() => undefined);
  for (const { n, leg, version, attempt, data } of await ask(db, read, [JSON.stringify(known)])) {
    rows[Number(n) - 1] = {
      leg: String(leg),
      version: Number(version),
      attempt: Number(attempt),
      account: data === null ? undefined : (JSON.parse(String(data)) as Account),
    };
  }
  return rows;
}

const read = `
SELECT k.n, l.leg, l.version, l.attempt,
  CASE WHEN l.leg = k.leg AND l.version = k.version THEN NULL ELSE l.data END AS data
FROM ROWS FROM (json_to_recordset($1::text::json) AS (id text, leg text, version integer))
  WITH ORDINALITY AS k (id, leg, version, n)
JOIN agent_session_live l ON l.session_id = k.id`;

/** Deletes a leg's row, and the rows of dead processes: all that were last written over an hour ago. */
export async function deleteLive(db: Database, sessionId: string, leg: string): Promise<void> {
  await ask(db, remove, [sessionId, leg]);
}

const remove = `
DELETE FROM agent_session_live
WHERE (session_id = $1::text AND leg = $2::text) OR updated_at < clock_timestamp() - interval '1 hour'`;

/**
 * Updates a live state from a row. Adds new text to the parts instead of replacing them, so that readers get
 * only the new text.
 */
export function takeRow(state: LiveState, { attempt, account }: LiveRow): void {
  if (account === undefined) return;
  if (state.attempt !== attempt) Object.assign(state, { attempt, parts: [] });
  const parts = state.parts as LivePart[];
  for (const { text, ...part } of account.parts) {
    let known = parts.find(({ index }) => index === part.index);
    if (known === undefined) {
      known = { ...part, pieces: [] };
      parts.push(known);
    }
    const fresh = text.slice(known.pieces.reduce((sum, piece) => sum + piece.length, 0));
    if (fresh !== "") known.pieces.push(fresh);
  }
  state.reports.splice(0, state.reports.length, ...(account.reports ?? []));
  state.agents.clear();
  for (const [callId, agent] of account.agents ?? []) state.agents.set(callId, agent);
}
