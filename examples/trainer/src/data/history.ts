import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type DoneExercise, type HistoryRow, rowsParam } from "./rows.ts";

/** A finished workout, to be added to the history. */
export interface DoneWorkout {
  /** Identifies the tool call and is the same in every attempt. A repeated key stores nothing. */
  callKey: string;
  workoutId: string;
  title: string;
  notes?: string | undefined;
  /** `YYYY-MM-DD`. */
  performedOn: string;
  exercises: readonly DoneExercise[];
}

export interface HistoryQuery {
  /** The first day, as `YYYY-MM-DD`. Default: no limit. */
  since?: string | undefined;
  /** The maximum number of workouts to return; the newest are returned. Default: 5,000. */
  workouts?: number | undefined;
}

/** The most rows that one query returns. */
const MOST_ROWS = 5_000;

/** Stores a workout in one statement. Does nothing if its `callKey` is already stored. */
export async function logWorkout(db: Database, userId: string, done: DoneWorkout): Promise<void> {
  const { callKey, workoutId, title, notes, performedOn, exercises } = done;
  const rows = exercises.map((exercise, at) => ({
    position: at + 1,
    exercise_name: exercise.exercise_name,
    exercise_type: exercise.exercise_type,
    exercise,
    muscles: exercise.muscles_utilized,
    goals: exercise.goals_addressed,
  }));
  const text = `INSERT INTO trainer.workout_history (user_id, call_key, workout_id, workout_title, workout_notes,
      performed_on, position, exercise_name, exercise_type, exercise, muscles, goals)
    SELECT $1, $2, $3, $4, $5, $6::text::date, r.*
    FROM json_to_recordset($7::text::json) AS r(
      position integer, exercise_name text, exercise_type text, exercise json, muscles json, goals json)
    ON CONFLICT (user_id, call_key, position) DO NOTHING`;
  await ask(db, text, [userId, callKey, workoutId, title, notes ?? null, performedOn, rowsParam(rows)]);
}

/**
 * Returns exercises of the history. The newest workout comes first; the exercises of each workout are in
 * order.
 */
export async function historyOf(
  db: Database,
  userId: string,
  { since = "0001-01-01", workouts = MOST_ROWS }: HistoryQuery = {},
): Promise<HistoryRow[]> {
  const text = `WITH newest AS (
      SELECT h.workout_id, h.call_key, max(h.performed_on) AS day, max(h.logged_at) AS at
      FROM trainer.workout_history h WHERE h.user_id = $1 AND h.performed_on >= $2::text::date
      GROUP BY h.workout_id, h.call_key ORDER BY day DESC, at DESC, h.call_key LIMIT $3::text::integer)
    SELECT h.workout_id, h.workout_title, h.workout_notes, to_char(h.performed_on, 'YYYY-MM-DD') AS performed_on,
      h.position, h.exercise_name, h.exercise_type, h.exercise, h.muscles, h.goals
    FROM newest n JOIN trainer.workout_history h ON h.user_id = $1 AND h.call_key = n.call_key
    ORDER BY n.day DESC, n.at DESC, n.call_key, h.position LIMIT ${MOST_ROWS}`;
  return await ask(db, text, [userId, since, String(workouts)]);
}
