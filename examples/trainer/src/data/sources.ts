import { type DataSource, dataSource } from "@pawl/knowledge";
import * as z from "zod";
import { named } from "../base/named.ts";
import { dayOf } from "./dates.ts";
import type { Part } from "./distribution.ts";
import { equipmentLines, percent, workoutLines } from "./lines.ts";
import { profileLines } from "./sections.ts";
import type { TrainerData, TrainerDeps } from "./trainer-data.ts";

interface Options<P extends z.ZodObject, Raw> {
  name: string;
  displayName: string;
  description: string;
  params?: P;
  fetch(data: TrainerData, userId: string, params: z.infer<P>): Promise<Raw>;
  format(raw: Raw): string;
}

const daysBack = z.int().min(1).max(730).describe("How many days to look back.");

/**
 * Creates the eight sources of user data. Each one reads `data`, or `deps.trainer` of the runtime if there is
 * no `data`. If the database fails, the source rejects with the driver's error.
 *
 * @example
 * ```ts
 * import { dataSources, trainerData } from "@pawl/example-trainer";
 * import { fetchSources } from "@pawl/knowledge";
 * import { embeddedStore } from "@pawl/postgres/embedded";
 *
 * const database = await embeddedStore();
 * const data = await trainerData(database.db);
 * await data.seed("ada");
 * const caller = { userId: "ada", deps: { trainer: data } };
 * const [goals] = await fetchSources(dataSources(data), [{ source: "category_goals" }], caller);
 * console.log(goals?.data); // - strength (weight 0.4): Squat one and a half times …
 * await database.close();
 * ```
 */
export function dataSources(data?: TrainerData): DataSource<TrainerDeps>[] {
  const source = <P extends z.ZodObject, Raw>(options: Options<P, Raw>): DataSource<TrainerDeps> => {
    const { fetch, format, params, ...rest } = options;
    return dataSource<z.ZodObject, Raw, TrainerDeps>({
      ...rest,
      ...(params && { params }),
      fetch: ({ userId, params: asked, deps, signal }) => {
        signal.throwIfAborted();
        return fetch(data ?? deps.trainer, userId, asked as z.infer<P>);
      },
      format: (raw) => format(raw as Raw),
    });
  };
  return [...personal(source), ...trained(source), ...around(source)];
}

type Make = <P extends z.ZodObject, Raw>(options: Options<P, Raw>) => DataSource<TrainerDeps>;

function personal(source: Make): DataSource<TrainerDeps>[] {
  return [
    source({
      name: "user_profile",
      displayName: "Your profile",
      description: "Age, sex, height, experience, and body measurements over the last months.",
      fetch: async (data, userId) => ({
        profile: await data.profile(userId),
        units: await data.settings(userId),
        today: dayOf(data.now()),
      }),
      format: ({ profile, units, today }) =>
        profileLines(profile, units, today, { history: true }) || NOTHING,
    }),
    source({
      name: "category_goals",
      displayName: "Your goals",
      description: "What the user trains for (strength, endurance …), each with its weight.",
      fetch: (data, userId) => data.categoryGoals(userId),
      format: (goals) =>
        lines(
          goals.map(({ category, weight, description }) => {
            const words = description === null ? "" : `: ${named(description, 300)}`;
            return `- ${named(category)} (weight ${weight})${words}`;
          }),
        ),
    }),
    source({
      name: "muscle_goals",
      displayName: "Muscles you care about",
      description: "How important each muscle is to the user, from 0 to 1.",
      fetch: (data, userId) => data.muscleGoals(userId),
      format: (goals) => lines(goals.map(({ muscle, weight }) => `- ${named(muscle)}: ${weight}`)),
    }),
    source({
      name: "active_preferences",
      displayName: "Your preferences",
      description: "What the user wants or has to avoid at the moment: injuries, dislikes, time, emphasis.",
      fetch: (data, userId) => data.preferences(userId),
      format: (preferences) =>
        lines(
          preferences.map(({ kind, description, ends_on }) => {
            const until = ends_on === null ? "" : ` (until ${ends_on})`;
            return `- ${named(kind)}: ${named(description, 500)}${until}`;
          }),
        ),
    }),
  ];
}

function trained(source: Make): DataSource<TrainerDeps>[] {
  return [
    source({
      name: "workout_history",
      displayName: "Your workouts",
      description: "Past workouts with what was done, newest first.",
      params: z.object({
        limit: z
          .int()
          .min(1)
          .max(200)
          .optional()
          .describe(
            "How many of the newest workouts. Default: 10, or with days_back all workouts of those days.",
          ),
        days_back: daysBack.optional(),
      }),
      fetch: async (data, userId, { limit, days_back }) => ({
        rows: await data.history(userId, {
          // Without a limit, `days_back` selects all workouts of those days, up to the maximum.
          limit: limit ?? (days_back === undefined ? 10 : 200),
          daysBack: days_back,
        }),
        units: await data.settings(userId),
      }),
      format: ({ rows, units }) => {
        const workouts = [...Map.groupBy(rows, ({ workout_id }) => workout_id).values()];
        return lines(workouts.map((own) => workoutLines(own, units)));
      },
    }),
    source({
      name: "exercise_distribution",
      displayName: "What you have trained",
      description:
        "How the sets of the last days are spread over muscles and goals, compared with the user's goals.",
      params: z.object({ days_back: daysBack.default(30) }),
      fetch: (data, userId, { days_back }) => data.distribution(userId, { daysBack: days_back }),
      format: ({ days, workouts, sets, muscles, categories }) =>
        lines([
          `Last ${days} days: ${workouts} workouts, ${sets} sets. Share of the sets, and the share that the goals aim for:`,
          "Muscles:",
          ...muscles.map(partLine),
          "Goals:",
          ...categories.map(partLine),
        ]),
    }),
  ];
}

function around(source: Make): DataSource<TrainerDeps>[] {
  return [
    source({
      name: "user_settings",
      displayName: "Your settings",
      description: "Units, how long a session may take, how often the user wants to train.",
      fetch: (data, userId) => data.settings(userId),
      format: ({ weight_unit, distance_unit, session_minutes, sessions_per_week }) =>
        lines([
          `Weights in ${weight_unit}, distances in ${distance_unit}`,
          ...(session_minutes === null ? [] : [`A session takes ${session_minutes} minutes`]),
          ...(sessions_per_week === null ? [] : [`${sessions_per_week} sessions a week`]),
        ]),
    }),
    source({
      name: "all_locations",
      displayName: "Your places",
      description:
        "All places where the user trains, with their ids and equipment; which is the current one.",
      fetch: async (data, userId) => ({
        locations: await data.locations(userId),
        units: await data.settings(userId),
      }),
      format: ({ locations, units }) =>
        lines(
          locations.map((location) => {
            const { id, name, description, current_location } = location;
            const words = description === "" ? "" : `: ${named(description, 300)}`;
            const head = `${named(name)} (${id})${current_location ? ", the current one" : ""}${words}`;
            return [head, ...equipmentLines(location, units)].join("\n");
          }),
        ),
    }),
  ];
}

const NOTHING = "Nothing is known.";

function lines(list: readonly string[]): string {
  return list.length === 0 ? NOTHING : list.join("\n");
}

function partLine({ name, share, goal }: Part): string {
  return `- ${named(name)}: ${percent(share)}${goal === null ? "" : `, goal ${percent(goal)}`}`;
}
