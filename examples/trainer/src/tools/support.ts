import { PawlError, type StoredEvent, type ToolContext } from "@pawl/core";
import { harmless, named } from "../base/named.ts";
import { currentWorkout, type Exercise, findExercise, type Workout } from "../workout/index.ts";

/**
 * How the model reads a result: in a tag that nothing within can close. Whether it is an error, the block
 * says itself.
 */
export function resultText(tool: string, text: string): string {
  return `<result tool="${tool}">\n${harmless(text)}\n</result>`;
}

/** What a tool needs to fold the workout out of the log. */
type Reads = Pick<ToolContext, "read">;

/** The workout under way. Throws what the model should do where there is none. */
export async function activeWorkout({ read }: Reads): Promise<Workout> {
  const events: AsyncIterable<StoredEvent> = read({ types: ["artifact", "tool_result"] });
  const workout = await currentWorkout(events);
  if (workout === undefined)
    throw new Error("There is no workout under way. Make one with generate_workout first.");
  return workout;
}

/** An exercise of it, by id or number. Throws which there are. */
export function exerciseIn(workout: Workout, key: string): Exercise {
  const exercise = findExercise(workout, key);
  if (exercise !== undefined) return exercise;
  const known = workout.exercises.map(({ order, exercise_name }) => `${order}. ${named(exercise_name, 60)}`);
  throw new Error(`The workout has no exercise "${named(key, 60)}". There are: ${known.join("; ")}.`);
}

/** What a database says is for the server's own log. What we say ourselves is for the model. */
export async function orElse<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new Error(message, { cause });
  }
}

/** A call that a database keeps waiting is answered after this many milliseconds. */
export const DATABASE_TIMEOUT_MS = 10_000;

/** A result as it was stored; ours, so of the shape that the tool gives it. */
export function resultOf<T>(result: unknown): T {
  return result as T;
}
