import { type Exercise, type Workout, workoutInput, workoutOf } from "../../src/workout/index.ts";

const shared = {
  muscles_utilized: [
    { muscle: "Chest", share: 0.6 },
    { muscle: "Triceps", share: 0.4 },
  ],
  goals_addressed: [{ goal: "strength", share: 1 }],
  reasoning: "It fits.",
};

/** An exercise of each type, as a model sends it. */
export const press = (more: object = {}) => ({
  ...shared,
  exercise_name: "Bench press",
  exercise_type: "reps",
  sets: 3,
  reps: [10, 10, 8],
  rest_sec: 90,
  load_each: [60, 60, 60],
  load_unit: "kg",
  ...more,
});
export const plank = (more: object = {}) => ({
  ...shared,
  exercise_name: "Plank",
  exercise_type: "hold",
  sets: 2,
  hold_sec: [40, 30],
  rest_sec: 30,
  ...more,
});
export const run = (more: object = {}) => ({
  ...shared,
  exercise_name: "Easy run",
  exercise_type: "duration",
  duration_min: 20,
  distance: 3,
  distance_unit: "km",
  ...more,
});
export const intervals = (more: object = {}) => ({
  ...shared,
  exercise_name: "Sprints",
  exercise_type: "intervals",
  rounds: 8,
  work_sec: 20,
  rest_sec: 10,
  ...more,
});

export const session = (...exercises: object[]) => ({ title: "Chest", exercises });

/** Creates ids that count up: `id-1`, `id-2` … */
export function counting(): () => string {
  let n = 0;
  return () => {
    n += 1;
    return `id-${n}`;
  };
}

/** An active workout. */
export function workout(...exercises: object[]): Workout {
  const input = workoutInput.parse(session(...exercises));
  return { ...workoutOf(input, counting()), artifact_id: "art_1" };
}

export function at(made: Workout | undefined, order: number): Exercise {
  const exercise = made?.exercises.find((one) => one.order === order);
  if (exercise === undefined) throw new Error(`There is no exercise ${order}.`);
  return exercise;
}

/** The group of each exercise, as `type:position`. */
export const groups = ({ exercises }: Pick<Workout, "exercises">): (string | undefined)[] =>
  exercises.map(({ group }) => group && `${group.type}:${group.position}`);

export const group = (type: string, position: number, more: object = {}) => ({
  group: { id: "g", type, position, ...more },
});
