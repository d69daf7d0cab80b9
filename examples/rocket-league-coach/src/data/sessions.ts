import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { sum } from "../base/numbers.ts";
import type { Playlist } from "../base/playlists.ts";
import type { MatchLine, PlaySession } from "../base/shapes.ts";

type Row = MatchLine & { session: number; ended_at: string };

/**
 * Returns the newest sessions of a user, the newest first. A new session begins an hour after the start of
 * the last match, or later.
 */
export async function sessionsOf(
  db: Database,
  userId: string,
  query: { since: string; limit: number; playlist?: Playlist | undefined },
): Promise<PlaySession[]> {
  const text = `WITH own AS (
      SELECT r.*, l.team, l.won, l.mmr_change, l.score, l.goals, l.assists, l.saves, l.shots,
        r.played_at - lag(r.played_at) OVER (ORDER BY r.played_at, r.replay_id) < interval '1 hour' AS continues
      FROM rl_coach.replay r JOIN rl_coach.line l ON l.replay_id = r.replay_id AND l.is_owner
      WHERE r.owner_id = $1 AND r.played_at >= $2::text::timestamptz
        AND ($3::text IS NULL OR r.playlist = $3::text)),
    numbered AS (
      SELECT own.*, count(*) FILTER (WHERE continues IS NOT TRUE)
        OVER (ORDER BY played_at DESC, replay_id DESC) AS after,
        continues IS NOT TRUE AS begins
      FROM own)
    SELECT (after - begins::integer)::integer AS session, replay_id, playlist, won,
      to_char(played_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS played_at,
      to_char(played_at AT TIME ZONE 'UTC' + make_interval(secs => duration_seconds),
        'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ended_at,
      CASE team WHEN 'blue' THEN blue_goals || '-' || orange_goals
        ELSE orange_goals || '-' || blue_goals END AS result,
      mmr_change::integer AS mmr_change, score::integer AS score, goals::integer AS goals,
      assists::integer AS assists, saves::integer AS saves, shots::integer AS shots
    FROM numbered WHERE after - begins::integer < $4::text::integer
    ORDER BY numbered.played_at, replay_id`;
  const rows = await ask<Row>(db, text, [userId, query.since, query.playlist ?? null, String(query.limit)]);
  const sessions = [...Map.groupBy(rows, ({ session }) => session)];
  return sessions.sort(([a], [b]) => a - b).map(([, matches]) => sessionOf(matches));
}

function sessionOf(rows: readonly Row[]): PlaySession {
  const wins = rows.filter(({ won }) => won).length;
  return {
    started_at: rows[0]?.played_at ?? "",
    ended_at: rows.at(-1)?.ended_at ?? "",
    matches: rows.length,
    wins,
    losses: rows.length - wins,
    mmr_change: sum(rows.map(({ mmr_change }) => mmr_change ?? 0)),
    replays: rows.map(({ session: _, ended_at: __, ...match }) => match),
  };
}
