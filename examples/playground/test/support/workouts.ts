import type { Json, JsonObject } from "@pawl/core";

const exercise = (
  exercise_name: string,
  muscles: { [muscle: string]: number },
  more: JsonObject,
): JsonObject => ({
  exercise_name,
  muscles_utilized: Object.entries(muscles).map(([muscle, share]) => ({ muscle, share })),
  goals_addressed: [{ goal: "strength", share: 1 }],
  reasoning: `${exercise_name} fits what you want, and you rested it for four days.`,
  ...more,
});

const exercises: Json[] = [
  exercise(
    "Bench press",
    { Chest: 0.6, Triceps: 0.25, Shoulders: 0.15 },
    {
      exercise_type: "reps",
      sets: 4,
      reps: [8],
      load_each: [60],
      load_unit: "kg",
      rest_sec: 120,
    },
  ),
  exercise(
    "Incline press",
    { Chest: 0.5, Shoulders: 0.5 },
    {
      exercise_type: "reps",
      sets: 3,
      reps: [10, 8, 6],
      load_each: [20, 22.5, 25],
      load_unit: "kg",
      rest_sec: 90,
      group: {
        id: "s",
        type: "superset",
        position: 1,
        name: "Press and hold",
        rounds: 3,
        rest_between_rounds_sec: 60,
      },
    },
  ),
  exercise(
    "Plank",
    { Abs: 1 },
    {
      exercise_type: "hold",
      sets: 3,
      hold_sec: [45],
      rest_sec: 0,
      group: { id: "s", type: "superset", position: 2 },
    },
  ),
  exercise(
    "Rowing machine sprints",
    { Back: 0.6, Quadriceps: 0.4 },
    {
      exercise_type: "intervals",
      rounds: 8,
      work_sec: 20,
      rest_sec: 10,
    },
  ),
  exercise(
    "Easy run",
    { Calves: 1 },
    {
      exercise_type: "duration",
      duration_min: 12,
      distance: 2,
      distance_unit: "km",
      target_pace: "6:00 /km",
    },
  ),
  exercise(
    "Chest stretch",
    { Chest: 1 },
    {
      exercise_type: "hold",
      sets: 2,
      hold_sec: [30],
      rest_sec: 0,
      group: { id: "c", type: "cooldown", position: 1 },
    },
  ),
];

/** A workout with an exercise of every type and with groups, in the form that a model sends. */
export const pushDay: JsonObject = {
  title: "Push day",
  estimated_duration_min: 45,
  difficulty: "moderate",
  exercises,
};

export const cableFly: JsonObject = exercise(
  "Cable fly",
  { Chest: 1 },
  {
    exercise_type: "reps",
    sets: 3,
    reps: [12],
    rest_sec: 60,
  },
);

/** Returns the progress of ten weeks, with `logged` workouts added to the last week. */
export function progressAfter(logged: number): JsonObject {
  const volumes = [5200, 6100, 5900, 7000, 0, 6800, 7400, 7900, 8300, 4100];
  const weeks = volumes.map((volume, at) => {
    const more = at === volumes.length - 1 ? logged : 0;
    const workouts = (volume === 0 ? 0 : at % 3 === 0 ? 2 : 3) + more;
    const week_start = new Date(Date.UTC(2026, 8, 14 + at * 7)).toISOString().slice(0, 10);
    return { week_start, workouts, sets: workouts * 18, volume_kg: volume + more * 2600 };
  });
  const shares = { Chest: 0.22, Back: 0.2, Quadriceps: 0.16, Shoulders: 0.12, Glutes: 0.1, Hamstrings: 0.2 };
  const muscles = Object.entries(shares).map(([muscle, share]) => ({ muscle, share, sets: share * 500 }));
  return { weeks, muscles };
}
