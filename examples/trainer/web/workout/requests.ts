import type { Exercise } from "../../src/workout/exercise.ts";
import type { Workout } from "../../src/workout/fold.ts";
import { setsOf } from "./dose.ts";

/**
 * Returns the message that asks for a swap. It is sent as the user's message, so it appears in the
 * conversation and in the log.
 */
export function swapRequest(exercise: Exercise, reason: string): string {
  return `Please swap ${named(exercise)}: ${reason}`;
}

export function adjustRequest(exercise: Exercise, changes: readonly string[]): string {
  return `Please adjust ${named(exercise)}: ${changes.join(", ")}`;
}

export function removeRequest(exercise: Exercise): string {
  return `Please remove ${named(exercise)}`;
}

/**
 * Returns the message that logs a workout.
 *
 * @param doneOf returns how many sets of an exercise are ticked off
 */
export function logRequest({ exercises }: Workout, doneOf: (exercise: Exercise) => number): string {
  if (exercises.every((exercise) => doneOf(exercise) === 0)) {
    return "Please log this workout: I did all of it as planned";
  }
  const done = exercises.filter((exercise) => doneOf(exercise) > 0);
  const words = done.map((exercise) => {
    const sets = setsOf(exercise);
    return `${exercise.order} (${exercise.exercise_name})${sets === 1 ? "" : ` ${doneOf(exercise)} of ${sets} sets`}`;
  });
  const skipped = exercises.length - done.length;
  return `Please log this workout: ${words.join(", ")}${skipped === 0 ? "" : "; the rest I skipped"}`;
}

function named({ order, exercise_name: name }: Exercise): string {
  return `exercise ${order} (${name})`;
}
