import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { DayPlan, DayPlans } from "./day-plans.ts";

/**
 * Creates the schema and the table in one statement, if they do not exist. Several processes may run it at
 * once.
 */
const TABLES = `DO $coach_tables$ BEGIN
PERFORM pg_advisory_xact_lock(7231952);
CREATE SCHEMA IF NOT EXISTS coach;
CREATE TABLE IF NOT EXISTS coach.day_plans (
  user_id text NOT NULL,
  day date NOT NULL,
  intention text,
  priorities json NOT NULL,
  path text NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, day)
);
END $coach_tables$`;

const SAVE = `INSERT INTO coach.day_plans (user_id, day, intention, priorities, path) VALUES ($1, $2::text::date, $3, $4::text::json, $5)
ON CONFLICT (user_id, day) DO UPDATE SET intention = excluded.intention, priorities = excluded.priorities,
  path = excluded.path, saved_at = now()`;

const GET = `SELECT to_char(day, 'YYYY-MM-DD') AS day, intention, priorities::text AS priorities, path
FROM coach.day_plans WHERE user_id = $1 AND day = $2::text::date`;

/**
 * Opens a store of day plans over `pg`, postgres.js or a PGlite. Creates its table `coach.day_plans` first.
 *
 * @throws the driver's error when the database fails.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { postgresDayPlans } from "@pawl/example-coach";
 *
 * const db = await PGlite.create();
 * const plans = await postgresDayPlans(db);
 * await plans.save("ada", { day: "2026-11-21", priorities: ["Write"], path: "day-plans/2026-11-21.md" });
 * console.log(await plans.get("ada", "2026-11-21")); // { day: "2026-11-21", priorities: [ "Write" ], … }
 * await db.close();
 * ```
 */
export async function postgresDayPlans(db: Database): Promise<DayPlans> {
  await ask(db, TABLES);
  return {
    save: async (userId, { day, intention, priorities, path }) => {
      await ask(db, SAVE, [userId, day, intention ?? null, JSON.stringify(priorities), path]);
    },
    get: async (userId, day) => {
      const [row] = await ask<Row>(db, GET, [userId, day]);
      return row && planOf(row);
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

function planOf({ day, intention, priorities, path }: Row): DayPlan {
  return {
    day: String(day),
    ...(typeof intention === "string" && { intention }),
    priorities: JSON.parse(String(priorities)) as string[],
    path: String(path),
  };
}
