import { ask, type ColumnTypes, columnsOf } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Line, Replay, Sample } from "./sample/line.ts";

/** The columns of `replay`, with their types. */
const REPLAY: ColumnTypes<Replay> = {
  replay_id: "text",
  owner_id: "text",
  playlist: "text",
  played_at: "timestamptz",
  duration_seconds: "integer",
  overtime: "boolean",
  map: "text",
  blue_goals: "integer",
  orange_goals: "integer",
};

/** The columns of `line`, with their types. */
const LINE: ColumnTypes<Line> = {
  replay_id: "text",
  player_id: "text",
  owner_id: "text",
  is_owner: "boolean",
  playlist: "text",
  player_name: "text",
  team: "text",
  won: "boolean",
  rank: "smallint",
  mmr: "smallint",
  mmr_change: "smallint",
  score: "smallint",
  goals: "smallint",
  assists: "smallint",
  saves: "smallint",
  shots: "smallint",
  demos_inflicted: "smallint",
  demos_taken: "smallint",
  boost_per_minute: "real",
  boost_collected_per_minute: "real",
  average_boost: "real",
  percent_zero_boost: "real",
  percent_full_boost: "real",
  boost_from_small_pads: "smallint",
  boost_from_big_pads: "smallint",
  boost_stolen: "smallint",
  average_speed: "real",
  percent_supersonic: "real",
  percent_ground: "real",
  percent_low_air: "real",
  percent_high_air: "real",
  percent_behind_ball: "real",
  percent_defensive_third: "real",
  percent_neutral_third: "real",
  percent_offensive_third: "real",
  percent_most_back: "real",
  percent_most_forward: "real",
  distance_to_ball: "real",
  percent_possession: "real",
  touches: "smallint",
  pads: "smallint[]",
};

/**
 * Stores a data set under its name, unless the name is stored already. Of several processes that do so at
 * once, one stores it, and the others wait for it.
 */
export async function ensureDataSet(
  db: Database,
  { name, seed, draw }: { name: string; seed: string; draw: () => Sample },
): Promise<void> {
  if (await hasDataSet(db, name)) return;
  const sample = draw();
  // Drawing takes long enough for another process to store the same.
  if (await hasDataSet(db, name)) return;
  await insert(db, name, seed, sample);
}

async function hasDataSet(db: Database, name: string): Promise<boolean> {
  const rows = await ask(db, "SELECT name FROM rl_coach.data_set WHERE name = $1", [name]);
  return rows.length > 0;
}

/** Stores a data set in one statement, or nothing if its name is stored. */
async function insert(db: Database, name: string, seed: string, sample: Sample): Promise<void> {
  const replays = columnsOf(REPLAY, sample.replays, 3);
  const lines = columnsOf(LINE, sample.lines, 3 + replays.values.length);
  const text = `WITH data_set AS (
      INSERT INTO rl_coach.data_set (name, seed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING name),
    replays AS (
      INSERT INTO rl_coach.replay (${replays.names})
      SELECT ${replays.select} FROM data_set, unnest(${replays.arrays}) AS r(${replays.names}))
    INSERT INTO rl_coach.line (${lines.names})
    SELECT ${lines.select} FROM data_set, unnest(${lines.arrays}) AS r(${lines.names})`;
  await ask(db, text, [name, seed, ...replays.values, ...lines.values]);
}
