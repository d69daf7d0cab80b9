import type { StoredEvent } from "@pawl/core";
import type { Exercise } from "./exercise.ts";
import { changed, removed, replaced } from "./operations.ts";

// The server and the page fold the same steps, so this file and its imports use neither schemas nor Node.

/** The payload of a workout's artifact. */
export interface WorkoutPayload {
  title: string;
  description?: string | undefined;
  difficulty?: "easy" | "moderate" | "hard" | undefined;
  estimated_duration_min?: number | undefined;
  /** The exercises in order. Their `order` counts from 1 without gaps. */
  exercises: readonly Exercise[];
}

/** The active workout. */
export interface Workout extends WorkoutPayload {
  artifact_id: string;
}

/** The artifact type of a workout. */
export const WORKOUT_ARTIFACT = "exercise_list";

/** The fields of an artifact that the fold reads. */
export interface WorkoutArtifact {
  artifact_id: string;
  type: string;
  payload: object;
}

/**
 * A tool's result, from the log or from a page. `artifact` is the workout that `generate_workout` created.
 */
export interface Step {
  toolName: string;
  success: boolean;
  result: unknown;
  artifact?: WorkoutArtifact | undefined;
}

/**
 * Applies a step to the active workout: generate begins a new one; swap, adjust and remove change it; log
 * ends it. A failed step, or one that names an unknown exercise, changes nothing.
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

/**
 * Converts an event of the log to a step; `undefined` for other events than workouts and tool results. A
 * workout's `artifact` event becomes the step of `generate_workout`.
 */
export function stepOf(event: StoredEvent): Step | undefined {
  if (event.type === "artifact") {
    if (event.data.type !== WORKOUT_ARTIFACT) return undefined;
    return { toolName: "generate_workout", success: true, result: {}, artifact: event.data };
  }
  if (event.type !== "tool_result") return undefined;
  const { tool_name, success, result, skipped } = event.data;
  return { toolName: tool_name, success: success && skipped === undefined, result };
}

/** Folds the active workout from a session's log, or from its `artifact` and `tool_result` events only. */
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
 * Folds the active workout from the steps that a page has. Pages receive no `artifact` events: the workout
 * arrives with the result of `message_notify_user`, possibly after it was changed. So the workout is first
 * attached to the `generate_workout` step that created it.
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

/** Finds an exercise by its id, or by its number in the workout, e.g. `"2"`. */
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
