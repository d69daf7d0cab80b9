import { PawlError } from "@pawl/core";
import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { rounded } from "../base/numbers.ts";
import type { Playlist } from "../base/playlists.ts";
import { type Rank, rankOfMmr, topPercent } from "../base/ranks.ts";
import type { Standing } from "../base/shapes.ts";

/** A user's rank in a playlist, as their newest match left it. */
export interface Place {
  rank: Rank;
  standing: Standing;
}

/** Returns the user's rank in a playlist; `undefined` without a match. */
export async function placeOfUser(
  db: Database,
  userId: string,
  playlist: Playlist,
): Promise<Place | undefined> {
  const text = `SELECT (l.mmr + coalesce(l.mmr_change, 0))::integer AS mmr
    FROM rl_coach.line l JOIN rl_coach.replay r ON r.replay_id = l.replay_id
    WHERE l.owner_id = $1 AND l.is_owner AND l.playlist = $2
    ORDER BY r.played_at DESC LIMIT 1`;
  const [row] = await ask<{ mmr: number }>(db, text, [userId, playlist]);
  if (row === undefined) return undefined;
  const rank = rankOfMmr(row.mmr);
  const top_percent = rounded(topPercent(rank, playlist), 1);
  return { rank, standing: { rank: rank.name, mmr: row.mmr, top_percent } };
}

/**
 * Returns the error for a range without matches. It tells the model which matches there are.
 *
 * @param now milliseconds since 1970
 */
export async function noMatches(
  db: Database,
  userId: string,
  { playlist, daysBack, now }: { playlist?: Playlist | undefined; daysBack: number; now: number },
): Promise<PawlError> {
  const text = `SELECT r.playlist, count(*)::integer AS matches,
      to_char(max(r.played_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS newest
    FROM rl_coach.replay r WHERE r.owner_id = $1 GROUP BY r.playlist ORDER BY count(*) DESC`;
  const known = await ask<{ playlist: string; matches: number; newest: string }>(db, text, [userId]);
  if (known.length === 0)
    return new PawlError(
      "not_found",
      "This user has no replays yet. Tell them that you can advise them once they have uploaded some.",
    );
  const list = known.map(
    ({ playlist, matches, newest }) =>
      `${playlist}: ${matches} matches, the newest ${daysSince(newest, now)} days ago`,
  );
  return new PawlError(
    "not_found",
    `The user played no ${playlist === undefined ? "" : `${playlist} `}match in the last ${daysBack} days. ` +
      `Use a larger days_back or another playlist. There are: ${list.join("; ")}.`,
  );
}

const DAY_MS = 86_400_000;

function daysSince(day: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(`${day}T00:00:00Z`)) / DAY_MS));
}
