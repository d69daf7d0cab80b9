import type { Exercise } from "./exercise.ts";
import { regrouped } from "./groups.ts";

interface WithExercises {
  exercises: readonly Exercise[];
}

/** Replaces an exercise. The new one keeps the place and the group of the old one. */
export function replaced<W extends WithExercises>(workout: W, id: string, exercise: Exercise): W {
  return each(workout, id, (old) => inPlaceOf(old, exercise));
}

/** Gives an exercise the place and the group of the one that it replaces. */
export function inPlaceOf({ order, group }: Exercise, exercise: Exercise): Exercise {
  const { group: _, ...own } = exercise;
  return { ...own, order, ...(group !== undefined && { group }) } as Exercise;
}

/** Changes fields of one exercise of a workout; `null` removes a field. */
export function changed<W extends WithExercises>(workout: W, id: string, fields: object): W {
  return each(workout, id, (exercise) => withFields(exercise, fields));
}

/** Returns the exercise with these fields; `null` removes a field. */
export function withFields<E extends object>(exercise: E, fields: object): E {
  const merged = Object.entries({ ...exercise, ...fields }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as E;
}

/** Removes an exercise, renumbers the others, and repairs its group. */
export function removed<W extends WithExercises>(workout: W, id: string): W {
  const gone = workout.exercises.find((exercise) => exercise.id === id);
  if (gone === undefined) return workout;
  const left = workout.exercises.filter((exercise) => exercise !== gone);
  const exercises = regrouped(left, gone).map((exercise, at) => ({ ...exercise, order: at + 1 }));
  return { ...workout, exercises };
}

function each<W extends WithExercises>(workout: W, id: string, change: (exercise: Exercise) => Exercise): W {
  if (!workout.exercises.some((exercise) => exercise.id === id)) return workout;
  const exercises = workout.exercises.map((exercise) => (exercise.id === id ? change(exercise) : exercise));
  return { ...workout, exercises };
}
