import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { CategoryGoal, Measurement, MuscleGoal, Preference, Profile, Settings } from "./rows.ts";

// Profile, goals, preferences and settings: data that users set and seldom change.

const NEWEST_MEASUREMENTS = 12;

export async function profileOf(db: Database, userId: string): Promise<Profile | undefined> {
  const [[person], measurements] = await Promise.all([
    ask<Omit<Profile, "measurements">>(
      db,
      `SELECT display_name, sex, to_char(birth_date, 'YYYY-MM-DD') AS birth_date, height_cm, experience
       FROM trainer.app_user WHERE user_id = $1`,
      [userId],
    ),
    ask<Measurement>(
      db,
      `SELECT to_char(m.measured_on, 'YYYY-MM-DD') AS measured_on, weight_kg, body_fat_percent
       FROM trainer.trainer_measurements m WHERE user_id = $1 ORDER BY m.measured_on DESC LIMIT ${NEWEST_MEASUREMENTS}`,
      [userId],
    ),
  ]);
  return person && { ...person, measurements };
}

/** Returns the user's settings. Default units: kilograms and kilometres. */
export async function settingsOf(db: Database, userId: string): Promise<Settings> {
  const [settings] = await ask<Settings>(
    db,
    `SELECT weight_unit, distance_unit, session_minutes, sessions_per_week
     FROM trainer.user_settings WHERE user_id = $1`,
    [userId],
  );
  return (
    settings ?? { weight_unit: "kg", distance_unit: "km", session_minutes: null, sessions_per_week: null }
  );
}

export async function categoryGoalsOf(db: Database, userId: string): Promise<CategoryGoal[]> {
  const text = `SELECT category, weight, description FROM trainer.category_goals
    WHERE user_id = $1 ORDER BY weight DESC, category LIMIT 100`;
  return await ask(db, text, [userId]);
}

export async function muscleGoalsOf(db: Database, userId: string): Promise<MuscleGoal[]> {
  const text = `SELECT muscle, weight FROM trainer.muscle_goals
    WHERE user_id = $1 ORDER BY weight DESC, muscle LIMIT 100`;
  return await ask(db, text, [userId]);
}

/** Returns the preferences that are valid on this day; those that end soonest come first. */
export async function preferencesOf(db: Database, userId: string, day: string): Promise<Preference[]> {
  const text = `SELECT kind, description, to_char(p.starts_on, 'YYYY-MM-DD') AS starts_on,
      to_char(p.ends_on, 'YYYY-MM-DD') AS ends_on
    FROM trainer.active_preferences p
    WHERE user_id = $1 AND p.starts_on <= $2::text::date AND (p.ends_on IS NULL OR p.ends_on >= $2::text::date)
    ORDER BY p.ends_on NULLS LAST, kind, description LIMIT 100`;
  return await ask(db, text, [userId, day]);
}
