import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type MetricName, metricNames } from "../base/metrics.ts";
import type { Playlist } from "../base/playlists.ts";
import { rankAt } from "../base/ranks.ts";
import type { ReplayDetails, ReplayPlayer } from "../base/shapes.ts";
import { type Averages, averagesSql, infoOf, shown } from "./averages.ts";

/** What says something about a single match. */
const MATCH_METRICS: readonly MetricName[] = metricNames.filter(
  (name) => name !== "win_rate" && name !== "mmr",
);

interface Row {
  playlist: Playlist;
  played_at: string;
  map: string;
  duration_seconds: number;
  overtime: boolean;
  blue_goals: number;
  orange_goals: number;
}

type PlayerRow = Averages & {
  player_name: string;
  team: "blue" | "orange";
  is_owner: boolean;
  won: boolean;
  rank: number;
  mmr_before: number;
};

/** Returns a replay of the user. `undefined` if it does not exist or belongs to somebody else. */
export async function replayOf(
  db: Database,
  userId: string,
  replayId: string,
): Promise<ReplayDetails | undefined> {
  const text = `SELECT r.playlist, r.map, r.duration_seconds, r.overtime, r.blue_goals, r.orange_goals,
      to_char(r.played_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS played_at
    FROM rl_coach.replay r WHERE r.replay_id = $2 AND r.owner_id = $1`;
  const ofPlayers = `SELECT l.player_name, l.team, l.is_owner, l.won, l.rank::integer AS rank,
      l.mmr::integer AS mmr_before, ${averagesSql(MATCH_METRICS)}
    FROM rl_coach.line l WHERE l.replay_id = $2 AND l.owner_id = $1
    GROUP BY l.replay_id, l.player_id ORDER BY l.is_owner DESC, l.score DESC, l.player_id`;
  const [[replay], players] = await Promise.all([
    ask<Row>(db, text, [userId, replayId]),
    ask<PlayerRow>(db, ofPlayers, [userId, replayId]),
  ]);
  const [owner] = players;
  if (replay === undefined || owner === undefined) return undefined;
  const { blue_goals, orange_goals, ...facts } = replay;
  const goals = { blue: blue_goals, orange: orange_goals };
  const colours = owner.team === "blue" ? (["blue", "orange"] as const) : (["orange", "blue"] as const);
  return {
    replay_id: replayId,
    ...facts,
    won: owner.won,
    teams: colours.map((colour) => ({
      colour,
      goals: goals[colour],
      players: players.filter(({ team }) => team === colour).map(playerOf),
    })),
    metrics: MATCH_METRICS.map(infoOf),
  };
}

function playerOf(row: PlayerRow): ReplayPlayer {
  return {
    name: row.player_name,
    you: row.is_owner,
    rank: rankAt(row.rank).name,
    mmr: row.mmr_before,
    stats: Object.fromEntries(MATCH_METRICS.map((name) => [name, shown(name, row[name])])),
  };
}

/** Checks whether a replay is the user's own. */
export async function ownsReplay(db: Database, userId: string, replayId: string): Promise<boolean> {
  const text = "SELECT replay_id FROM rl_coach.replay WHERE replay_id = $2 AND owner_id = $1";
  return (await ask(db, text, [userId, replayId])).length > 0;
}
