import { ask, randomFrom } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { dayOf, plusDays } from "../dates.ts";
import { rowsParam } from "../rows.ts";
import { historyUntil, measurementsUntil } from "./life.ts";
import { categoryGoals, locations, muscleGoals, person, preferences, settings } from "./person.ts";

export interface SeedOptions {
  /** Milliseconds since 1970. The history ends on the day before. */
  now: number;
  /** Different seeds create different data. Default: the user's id. */
  seed?: string | undefined;
}

/**
 * Creates sample data for a user: a profile, half a year of measurements, goals, preferences, ten weeks of
 * history and three locations. Does nothing for a user with a profile. Writes everything in one statement,
 * so several processes may seed a user at once. The same `seed` creates the same data.
 */
export async function seedTrainer(
  db: Database,
  userId: string,
  { now, seed = userId }: SeedOptions,
): Promise<void> {
  const random = randomFrom(seed);
  const today = dayOf(now);
  const periods = preferences.map(({ kind, description, from, to }) => ({
    kind,
    description,
    starts_on: plusDays(today, from),
    ends_on: to === undefined ? null : plusDays(today, to),
  }));
  const values = [
    rowsParam([person]),
    rowsParam(measurementsUntil(now, random)),
    rowsParam(categoryGoals),
    rowsParam(muscleGoals),
    rowsParam(periods),
    rowsParam([settings]),
    rowsParam(locations),
    rowsParam(historyUntil(now, random)),
  ];
  await ask(db, SEED, [userId, ...values]);
}

/**
 * Inserts everything in one statement. The other inserts use the result of the profile's insert, so a user
 * who already has a profile gets no sample data.
 */
const SEED = `WITH person AS (
  INSERT INTO trainer.app_user (user_id, display_name, sex, birth_date, height_cm, experience)
  SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r(
    display_name text, sex text, birth_date date, height_cm double precision, experience text)
  ON CONFLICT (user_id) DO NOTHING RETURNING user_id),
measurements AS (
  INSERT INTO trainer.trainer_measurements (user_id, measured_on, weight_kg, body_fat_percent)
  SELECT p.user_id, r.* FROM person p, json_to_recordset($3::text::json) AS r(
    measured_on date, weight_kg double precision, body_fat_percent double precision)
  ON CONFLICT DO NOTHING),
category_goals AS (
  INSERT INTO trainer.category_goals (user_id, category, weight, description)
  SELECT p.user_id, r.* FROM person p, json_to_recordset($4::text::json) AS r(
    category text, weight double precision, description text)
  ON CONFLICT DO NOTHING),
muscle_goals AS (
  INSERT INTO trainer.muscle_goals (user_id, muscle, weight)
  SELECT p.user_id, r.* FROM person p, json_to_recordset($5::text::json) AS r(
    muscle text, weight double precision)
  ON CONFLICT DO NOTHING),
preferences AS (
  INSERT INTO trainer.active_preferences (user_id, kind, description, starts_on, ends_on)
  SELECT p.user_id, r.* FROM person p, json_to_recordset($6::text::json) AS r(
    kind text, description text, starts_on date, ends_on date)),
settings AS (
  INSERT INTO trainer.user_settings (user_id, weight_unit, distance_unit, session_minutes, sessions_per_week)
  SELECT p.user_id, r.* FROM person p, json_to_recordset($7::text::json) AS r(
    weight_unit text, distance_unit text, session_minutes integer, sessions_per_week integer)
  ON CONFLICT DO NOTHING),
locations AS (
  INSERT INTO trainer.user_locations (user_id, name, description, equipment, current_location)
  SELECT p.user_id, r.name, r.description, r.equipment,
    r.current_location AND NOT EXISTS (
      SELECT FROM trainer.user_locations l WHERE l.user_id = p.user_id AND l.current_location)
  FROM person p, json_to_recordset($8::text::json) AS r(
    name text, description text, equipment json, current_location boolean))
INSERT INTO trainer.workout_history (user_id, call_key, workout_id, workout_title, workout_notes, performed_on,
  position, exercise_name, exercise_type, exercise, muscles, goals)
SELECT p.user_id, r.* FROM person p, json_to_recordset($9::text::json) AS r(
  call_key text, workout_id text, workout_title text, workout_notes text, performed_on date,
  position integer, exercise_name text, exercise_type text, exercise json, muscles json, goals json)
ON CONFLICT DO NOTHING`;
