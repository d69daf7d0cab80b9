import * as z from "zod";
import { named } from "../base/named.ts";
import { problemsOf } from "./adjust.ts";
import type { Exercise } from "./exercise.ts";
import { MAX_SETS } from "./fields.ts";
import { findExercise, type Workout } from "./fold.ts";

/** The longest text for the model, in UTF-16 code units. */
export const MAX_SESSION_TEXT = 8_000;

const done = z.number().min(0).max(100_000);
const perSet = z.array(done).max(MAX_SETS);

/** A client's data about one exercise. Unknown fields are ignored. */
const clientExercise = z.looseObject({
  id: z.string().max(200).nullish(),
  order: z.int().min(1).max(1_000).nullish(),
  exercise_name: z.string().max(1_000).nullish(),
  exercise_type: z.string().max(100).nullish(),
  completed_sets: z.int().min(0).max(100).nullish(),
  actual_reps: perSet.nullish(),
  actual_hold_sec: perSet.nullish(),
  actual_load: perSet.nullish(),
  actual_duration_min: done.nullish(),
  completed_rounds: z.int().min(0).max(1_000).nullish(),
  completed: z.boolean().nullish(),
});

const clientWorkout = z.looseObject({
  artifact_id: z.string().max(200).nullish(),
  exercises: z.array(clientExercise).max(100),
});

type ClientExercise = z.infer<typeof clientExercise>;

/** The text for the model about a client's workout, or the reason why the client's data is invalid. */
export type Reconciled = { ok: true; text: string } | { ok: false; problem: string };

/**
 * Describes the active workout for the model: the exercises from the log, and which sets are done from the
 * client. The text contains no name that the client sent.
 *
 * @param sent the client's data, not yet validated
 * @param known the active workout according to the log
 */
export function reconcile(sent: unknown, known: Workout | undefined): Reconciled {
  const parsed = clientWorkout.safeParse(sent);
  if (!parsed.success) return { ok: false, problem: problemsOf(parsed.error) };
  if (known === undefined) {
    return {
      ok: true,
      text: "There is no active workout in this session, whatever the user's screen still shows.",
    };
  }
  const { artifact_id, exercises } = parsed.data;
  const isOlder = Boolean(artifact_id) && artifact_id !== known.artifact_id;
  const found = exercises.map((one) => ({ one, exercise: matching(known, one, isOlder) }));
  const lines = known.exercises.map((exercise) => {
    const match = found.find((pair) => pair.exercise === exercise);
    return `${exercise.order}. ${named(exercise.exercise_name)} (${exercise.exercise_type}): ${progressOf(exercise, match?.one)}`;
  });
  const notes = [
    isOlder && "The user's screen shows an older workout.",
    differing(found, known) &&
      "The screen shows other exercises, names or types. They do not count; the workout is as listed here.",
  ].filter((note) => typeof note === "string");
  const head = `Active workout: ${named(known.title)} (${known.artifact_id}). Done so far:`;
  return { ok: true, text: [head, ...lines, ...notes].join("\n").slice(0, MAX_SESSION_TEXT) };
}

type Found = { one: ClientExercise; exercise: Exercise | undefined };

/**
 * Finds the exercise that a client's entry is about: by its id, otherwise by its number. The number does not
 * count if the client shows an older workout, or another name at this number.
 */
function matching(
  known: Workout,
  { id, order, exercise_name }: ClientExercise,
  isOlder: boolean,
): Exercise | undefined {
  const exercise = findExercise(known, id ?? String(order ?? ""));
  if (exercise === undefined || exercise.id === id) return exercise;
  return isOlder || (exercise_name ?? exercise.exercise_name) !== exercise.exercise_name
    ? undefined
    : exercise;
}

function differing(found: readonly Found[], known: Workout): boolean {
  const other = found.some(
    ({ one, exercise }) =>
      exercise === undefined ||
      (one.exercise_name ?? exercise.exercise_name) !== exercise.exercise_name ||
      (one.exercise_type ?? exercise.exercise_type) !== exercise.exercise_type,
  );
  return other || new Set(found.map(({ exercise }) => exercise)).size !== known.exercises.length;
}

function progressOf(exercise: Exercise, one: ClientExercise | undefined): string {
  if (one === undefined) return "nothing is known";
  const parts = [amountOf(exercise, one)];
  const values = (what: string, list: readonly number[] | null | undefined) => {
    if (list && list.length > 0) parts.push(`${what} ${list.join(", ")}`);
  };
  values("reps", one.actual_reps);
  values("seconds held", one.actual_hold_sec);
  const unit = exercise.exercise_type === "reps" && exercise.load_unit ? ` (${exercise.load_unit})` : "";
  values(`load${unit}`, one.actual_load);
  if (one.actual_duration_min) parts.push(`${one.actual_duration_min} min`);
  return parts.join("; ");
}

function amountOf(
  exercise: Exercise,
  { completed_sets, completed_rounds, completed, actual_reps }: ClientExercise,
): string {
  if (completed) return "done";
  const sets = completed_sets ?? actual_reps?.length ?? 0;
  if ("sets" in exercise) return `${Math.min(sets, exercise.sets)} of ${exercise.sets} sets`;
  if ("rounds" in exercise && typeof completed_rounds === "number")
    return `${Math.min(completed_rounds, exercise.rounds)} of ${exercise.rounds} rounds`;
  return sets > 0 ? "done" : "not done yet";
}
