import { PawlError } from "@pawl/core";
import type { Database } from "@pawl/postgres";
import { dayOf, mondayOf, plusDays } from "./dates.ts";
import { type Distribution, distributionOf, type Progress, progressOf } from "./distribution.ts";
import { categoryGoalsOf, muscleGoalsOf, preferencesOf, profileOf, settingsOf } from "./goals.ts";
import { type DoneWorkout, historyOf, logWorkout } from "./history.ts";
import { locationsOf, setCurrentLocation } from "./locations.ts";
import { migrateTrainer } from "./migrate.ts";
import type {
  CategoryGoal,
  HistoryRow,
  Location,
  MuscleGoal,
  Preference,
  Profile,
  Settings,
} from "./rows.ts";
import { seedTrainer } from "./seed/seed-trainer.ts";

/**
 * The stored data of the trainer's users. Every method reads and writes the data of one user only. If the
 * database fails, it rejects with the driver's error.
 */
export interface TrainerData {
  /** Returns the current time of this data's clock, in milliseconds since 1970. */
  now(): number;
  profile(userId: string): Promise<Profile | undefined>;
  settings(userId: string): Promise<Settings>;
  categoryGoals(userId: string): Promise<CategoryGoal[]>;
  muscleGoals(userId: string): Promise<MuscleGoal[]>;
  /** Returns the preferences that are valid today. */
  preferences(userId: string): Promise<Preference[]>;
  /**
   * Returns the exercises of the newest `limit` workouts (default 10), newest first. `daysBack` counts today
   * as one day.
   */
  history(
    userId: string,
    query?: { limit?: number | undefined; daysBack?: number | undefined },
  ): Promise<HistoryRow[]>;
  /** Returns the training of the last `daysBack` days (default 30), compared with the goals. */
  distribution(userId: string, query?: { daysBack?: number | undefined }): Promise<Distribution>;
  /** Returns all locations, the current one first. */
  locations(userId: string): Promise<Location[]>;
  /**
   * Makes one location the user's current one. Throws `not_found`, or `invalid_input` if the name is
   * ambiguous.
   */
  setCurrentLocation(
    userId: string,
    wanted: { id?: string | undefined; name?: string | undefined },
  ): Promise<Location>;
  /** Stores a workout with today's date. Does nothing if its `callKey` is already stored. */
  logWorkout(userId: string, done: Omit<DoneWorkout, "performedOn">): Promise<void>;
  /** Returns totals for the last `weeks` weeks (1 to 104), including the current one. */
  progress(userId: string, query: { weeks: number }): Promise<Progress>;
  /** Creates sample data for a user without a profile. See {@link seedTrainer}. */
  seed(userId: string): Promise<void>;
}

export interface TrainerDataOptions {
  /** Returns the current time, in milliseconds since 1970. Days are UTC. */
  now?: () => number;
}

/** The part of `deps` that the trainer's tools and sources use. */
export interface TrainerDeps {
  trainer: TrainerData;
}

/**
 * Opens the trainer's data over a driver: `pg`, postgres.js or a PGlite. Creates or updates its tables first,
 * in a separate schema.
 *
 * @throws the driver's error when the database fails.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { trainerData } from "@pawl/example-trainer";
 *
 * const db = await PGlite.create();
 * const data = await trainerData(db);
 * await data.seed("ada");
 * const [place] = await data.locations("ada");
 * console.log(place?.name); // Home Gym
 * await db.close();
 * ```
 */
export async function trainerData(
  db: Database,
  { now = Date.now }: TrainerDataOptions = {},
): Promise<TrainerData> {
  await migrateTrainer(db);
  const today = () => dayOf(now());
  const since = (days: number) => plusDays(today(), 1 - days);
  return {
    now,
    profile: (userId) => profileOf(db, userId),
    settings: (userId) => settingsOf(db, userId),
    categoryGoals: (userId) => categoryGoalsOf(db, userId),
    muscleGoals: (userId) => muscleGoalsOf(db, userId),
    preferences: (userId) => preferencesOf(db, userId, today()),
    history: async (userId, { limit = 10, daysBack } = {}) =>
      await historyOf(db, userId, {
        workouts: whole("limit", limit, 200),
        ...(daysBack !== undefined && { since: since(whole("daysBack", daysBack, MAX_DAYS)) }),
      }),
    distribution: async (userId, { daysBack = 30 } = {}) => {
      const first = since(whole("daysBack", daysBack, MAX_DAYS));
      const [rows, categories, muscles] = await Promise.all([
        historyOf(db, userId, { since: first }),
        categoryGoalsOf(db, userId),
        muscleGoalsOf(db, userId),
      ]);
      return distributionOf(rows, { categories, muscles }, daysBack);
    },
    locations: (userId) => locationsOf(db, userId),
    setCurrentLocation: (userId, wanted) => setCurrentLocation(db, userId, wanted),
    logWorkout: (userId, done) => logWorkout(db, userId, { ...done, performedOn: today() }),
    progress: async (userId, { weeks }) => {
      const first = plusDays(mondayOf(today()), -7 * (whole("weeks", weeks, 104) - 1));
      return progressOf(await historyOf(db, userId, { since: first }), weeks, today());
    },
    seed: (userId) => seedTrainer(db, userId, { now: now() }),
  };
}

/** The most days that a query looks back. */
const MAX_DAYS = 3_650;

function whole(what: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new PawlError("invalid_input", `${what} must be a whole number from 1 to ${max}.`);
}
