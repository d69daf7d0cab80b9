import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import { WORKOUT_ARTIFACT, type WorkoutPayload, workoutInput, workoutOf } from "../workout/index.ts";
import { resultOf } from "./support.ts";

/** A workout with only the names of its exercises, for places that do not show the whole workout. */
export interface WorkoutSummary {
  title: string;
  exercise_count: number;
  exercises: string[];
  estimated_duration_min?: number;
  difficulty?: string;
}

export interface Generated {
  success: true;
  artifact_id: string;
  exercise_count: number;
  summary: WorkoutSummary;
}

/**
 * Creates the tool `generate_workout`.
 *
 * @param newId creates the ids of exercises
 */
export function generateWorkout(newId: () => string) {
  return tool({
    name: "generate_workout",
    description:
      "Makes a workout and stores it as an artifact. It becomes the active workout and replaces an older one. The user does " +
      "not see it yet: show it with message_notify_user and the artifact_id of the result.",
    input: z.object({ workout: workoutInput }),
    category: "exercise",
    status: { start: "Creating your workout...", done: "Workout ready" },
    idempotent: true,
    execute: ({ workout }, { createArtifact }: ToolContext): Generated => {
      const payload = workoutOf(workout, newId);
      const summary = summaryOf(payload);
      const { title, exercise_count } = summary;
      const artifact_id = createArtifact({ type: WORKOUT_ARTIFACT, title, payload, summary });
      return { success: true, artifact_id, exercise_count, summary };
    },
    format: (result) => {
      const { artifact_id, exercise_count, summary } = resultOf<Generated>(result);
      const list = summary.exercises.join("\n");
      return (
        `"${named(summary.title)}" is made, with ${exercise_count} exercises:\n${list}\n` +
        `IMPORTANT: the user does not see it yet. Your next step is message_notify_user with artifact_id "${artifact_id}".`
      );
    },
  });
}

function summaryOf({ title, exercises, estimated_duration_min, difficulty }: WorkoutPayload): WorkoutSummary {
  return {
    title,
    exercise_count: exercises.length,
    exercises: exercises.map(
      ({ order, exercise_name, exercise_type }) => `${order}. ${named(exercise_name)} (${exercise_type})`,
    ),
    ...(estimated_duration_min !== undefined && { estimated_duration_min }),
    ...(difficulty !== undefined && { difficulty }),
  };
}
