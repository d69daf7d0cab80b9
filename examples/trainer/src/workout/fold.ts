import type { StoredEvent } from "@pawl/core";
import type { Exercise } from "./exercise.ts";
import { changed, removed, replaced } from "./operations.ts";

// The server and the page fold the same steps, so this file and what it imports are free of schemas and of
// Node.

/** What the artifact of a workout carries. */
export interface WorkoutPayload {
  title: string;
  description?: string | undefined;
  difficulty?: "easy" | "moderate" | "hard" | undefined;
  estimated_duration_min?: number | undefined;
  /** In their order, numbered from 1 without gaps. */
  exercises: readonly Exercise[];
}

/** A workout under way. */
export interface Workout extends WorkoutPayload {
  artifact_id: string;
}

/** The type of the artifact that a workout is. */
export const WORKOUT_ARTIFACT = "exercise_list";

/** What of an artifact matters here. */
export interface WorkoutArtifact {
  artifact_id: string;
  type: string;
  payload: object;
}

/**
 * A tool's result, as the log or a page has it. `artifact` is the workout that `generate_workout` has made.
 */
export interface Step {
  toolName: string;
  success: boolean;
  result: unknown;
  artifact?: WorkoutArtifact | undefined;
}

/**
 * The workout under way after a step: generate begins a new one, swap, adjust and remove change it, log ends
 * it. Steps that fail, or that say nothing of an exercise that is there, change nothing.
 *
 * @example
 * ```ts
 * import { applyStep, WORKOUT_ARTIFACT, type Workout } from "@pawl/example-trainer";
 *
 * const exercise = {
 *   id: "e1",
 *   order: 1,
 *   exercise_type: "duration",
 *   exercise_name: "Easy run",
 *   duration_min: 30,
 * };
 * const artifact = {
 *   artifact_id: "art_1",
 *   type: WORKOUT_ARTIFACT,
 *   payload: { title: "A run", exercises: [exercise] },
 * };
 * const steps = [
 *   { toolName: "generate_workout", success: true, result: {}, artifact },
 *   {
 *     toolName: "adjust_exercise",
 *     success: true,
 *     result: { exercise_id: "e1", adjustments: { duration_min: 20 } },
 *   },
 * ];
 * const workout = steps.reduce<Workout | undefined>(applyStep, undefined);
 * console.log(workout?.exercises[0]); // { …, exercise_name: "Easy run", duration_min: 20 }
 * ```
 */
export function applyStep(workout: Workout | undefined, step: Step): Workout | undefined {
  const { toolName, success, artifact } = step;
  if (!success) return workout;
  const result = objectOf(step.result);
  if (toolName === "generate_workout") return (artifact && begun(artifact)) ?? workout;
  if (workout === undefined) return undefined;
  switch (toolName) {
    case "swap_exercise":
      return replaced(workout, idOf(result.old_exercise), result.new_exercise as Exercise);
    case "adjust_exercise":
      return changed(workout, String(result.exercise_id), objectOf(result.adjustments));
    case "remove_exercise":
      return removed(workout, idOf(result.removed_exercise));
    case "log_workout":
      return undefined;
    default:
      return workout;
  }
}

/** What an event of the log says to the fold. An artifact comes as the step of the tool that has made it. */
export function stepOf(event: StoredEvent): Step | undefined {
  if (event.type === "artifact") {
    if (event.data.type !== WORKOUT_ARTIFACT) return undefined;
    return { toolName: "generate_workout", success: true, result: {}, artifact: event.data };
  }
  if (event.type !== "tool_result") return undefined;
  const { tool_name, success, result, skipped } = event.data;
  return { toolName: tool_name, success: success && skipped === undefined, result };
}

/** The workout under way, out of a session's log or the `artifact` and `tool_result` events of it. */
export async function currentWorkout(
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
): Promise<Workout | undefined> {
  let workout: Workout | undefined;
  for await (const event of events) {
    const step = stepOf(event);
    if (step !== undefined) workout = applyStep(workout, step);
  }
  return workout;
}

/**
 * The same for a page, which has no artifacts of their own: it gets one with the result of
 * `message_notify_user`, which may come after a change. Each is put back to the call that has made it.
 */
export function workoutAfter(steps: readonly Step[]): Workout | undefined {
  const delivered = new Map<string, WorkoutArtifact>();
  for (const { toolName, success, result, artifact } of steps) {
    const carried =
      artifact ?? (success && toolName === "message_notify_user" ? objectOf(result).artifact : undefined);
    const { artifact_id, type } = objectOf(carried);
    if (typeof artifact_id === "string" && type === WORKOUT_ARTIFACT)
      delivered.set(artifact_id, carried as WorkoutArtifact);
  }
  return steps.reduce<Workout | undefined>((workout, step) => {
    const made = step.artifact ?? delivered.get(String(objectOf(step.result).artifact_id));
    return applyStep(workout, step.toolName === "generate_workout" ? { ...step, artifact: made } : step);
  }, undefined);
}

/** An exercise by its id, or by its number in the workout, e.g. `"2"`. */
export function findExercise(workout: Workout, key: string): Exercise | undefined {
  const wanted = key.trim().toLowerCase();
  return workout.exercises.find(({ id, order }) => id.toLowerCase() === wanted || String(order) === wanted);
}

function begun({ artifact_id, type, payload }: WorkoutArtifact): Workout | undefined {
  const { title, exercises } = objectOf(payload);
  if (type !== WORKOUT_ARTIFACT || typeof title !== "string" || !Array.isArray(exercises)) return undefined;
  return { ...(payload as WorkoutPayload), artifact_id };
}

function idOf(exercise: unknown): string {
  return String(objectOf(exercise).id);
}

function objectOf(value: unknown): { [field: string]: unknown } {
  return value !== null && typeof value === "object" ? (value as { [field: string]: unknown }) : {};
}
