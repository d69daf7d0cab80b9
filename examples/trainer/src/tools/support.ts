import { PawlError, type StoredEvent, type ToolContext } from "@pawl/core";
import { named } from "../base/named.ts";
import { currentWorkout, type Exercise, findExercise, type Workout } from "../workout/index.ts";

/** The part of the context that a tool needs to fold the workout from the log. */
type Reads = Pick<ToolContext, "read">;

/** Returns the active workout. Without an active workout, throws an error that tells the model what to do. */
export async function activeWorkout({ read }: Reads): Promise<Workout> {
  const events: AsyncIterable<StoredEvent> = read({ types: ["artifact", "tool_result"] });
  const workout = await currentWorkout(events);
  if (workout === undefined)
    throw new Error("There is no active workout. Make one with generate_workout first.");
  return workout;
}

/**
 * Finds an exercise by its id or number. Without a match, throws an error that lists the existing exercises.
 */
export function exerciseIn(workout: Workout, key: string): Exercise {
  const exercise = findExercise(workout, key);
  if (exercise !== undefined) return exercise;
  const known = workout.exercises.map(({ order, exercise_name }) => `${order}. ${named(exercise_name, 60)}`);
  throw new Error(`The workout has no exercise "${named(key, 60)}". There are: ${known.join("; ")}.`);
}

/**
 * Runs `work`. Replaces its errors by `message`, because the model should not read a database's error text. A
 * {@link PawlError} passes unchanged.
 */
export async function orElse<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new Error(message, { cause });
  }
}

/** The time limit of a call that uses the database, in milliseconds. */
export const DATABASE_TIMEOUT_MS = 10_000;

/** Casts a stored result to its type: only the tool itself wrote it. */
export function resultOf<T>(result: unknown): T {
  return result as T;
}
