import type { JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { call, notify } from "./calls.ts";
import { exerciseOf, possible } from "./moves.ts";
import { asObject, type Scene } from "./scene.ts";

/** Replaces an exercise by one that is not in the workout yet, if possible for the same muscle. */
export function swap(scene: Scene, number: string | undefined): Reply {
  const { workout = [], equipment, preferences, unit, said } = scene;
  return withWorkout(scene, number, (exercise, at) => {
    const [first] = Array.isArray(exercise.muscles_utilized) ? exercise.muscles_utilized : [];
    const { muscle } = asObject(first);
    const taken = new Set(workout.map(({ exercise_name }) => exercise_name));
    const bare = /no equipment|without equipment/i.test(said);
    const free = possible(bare ? "" : equipment, preferences).filter(({ name }) => !taken.has(name));
    const other =
      free.find(({ muscles }) => muscles[0]?.[0] === muscle) ??
      free.find(({ muscles }) => muscles.some(([name]) => name === muscle)) ??
      free[0];
    if (other === undefined) return notify("I don't know another exercise that works here.");
    const new_exercise = exerciseOf(other, { order: at + 1, unit });
    return call("swap_exercise", { exercise_id: String(at + 1), new_exercise, reason: said.slice(0, 200) });
  });
}

/** Changes the sets, repetitions, load and rest that the message names. */
export function adjust(scene: Scene, number: string): Reply {
  const { said, unit } = scene;
  return withWorkout(scene, number, (exercise) => {
    const rest = numberBy(said, "rest");
    const adjustments: JsonObject = { ...(rest !== undefined && { rest_sec: rest }) };
    if (exercise.exercise_type === "duration")
      adjustments.duration_min = numberBy(said, "minutes", "min") ?? 20;
    if (exercise.exercise_type === "intervals") adjustments.rounds = numberBy(said, "rounds") ?? 8;
    if (typeof exercise.sets === "number") {
      const sets = numberBy(said, "sets") ?? exercise.sets;
      const reps = forEach(sets, numberBy(said, "reps"), exercise.reps);
      const holds = forEach(sets, numberBy(said, "hold", "seconds"), exercise.hold_sec);
      const loads = forEach(sets, numberBy(said, "load", "kg", "lb"), exercise.load_each);
      Object.assign(adjustments, {
        sets,
        ...(exercise.exercise_type === "reps" && reps && { reps }),
        ...(exercise.exercise_type === "hold" && holds && { hold_sec: holds }),
        ...(exercise.exercise_type === "reps" &&
          loads && { load_each: loads, load_unit: exercise.load_unit ?? unit }),
      });
    }
    return call("adjust_exercise", { exercise_id: number, adjustments });
  });
}

export function remove(scene: Scene, number: string): Reply {
  const reason = scene.said.slice(0, 200);
  return withWorkout(scene, number, () => call("remove_exercise", { exercise_id: number, reason }));
}

/**
 * Logs the exercises that the message lists, e.g. as `2 (Push-up) 1 of 3 sets`. If it lists none, logs all of
 * them.
 */
export function log(scene: Scene): Reply {
  const named = [...scene.said.matchAll(/\b(\d+) \([^)]*\)(?: (\d+) of \d+ sets)?/g)];
  const all = (scene.workout ?? []).map((_, at): JsonObject => ({ exercise_id: String(at + 1) }));
  const done = named.map(
    ([, number = "", sets]): JsonObject => ({
      exercise_id: number,
      ...(sets !== undefined && { completed_sets: Number(sets) }),
    }),
  );
  const completed_exercises = done.length === 0 ? all : done;
  // The card's button sends a fixed text, which would be no useful note.
  const isOurs = /^please log this workout/i.test(scene.said);
  const notes = isOurs ? {} : { workout_notes: scene.said.slice(0, 300) };
  return withWorkout(scene, undefined, () => call("log_workout", { completed_exercises, ...notes }));
}

function withWorkout(
  { workout }: Scene,
  number: string | undefined,
  then: (exercise: JsonObject, at: number) => Reply,
): Reply {
  if (workout === undefined) return notify("There is no active workout. Shall I make you one?");
  if (workout.length === 0) return notify("The workout has no exercises left. Shall I make you another one?");
  const at = Number(number ?? 1) - 1;
  const exercise = workout[at];
  return exercise === undefined
    ? notify(`The workout has ${workout.length} exercises; which one do you mean?`)
    : then(exercise, at);
}

/**
 * Returns the number of the exercise that the message means, by its number or its name. The longest name that
 * occurs wins.
 */
export function meant({ workout = [], said }: Scene): string | undefined {
  const number = /\b(?:exercise|number|nr\.?|#)\s*(\d+)/i.exec(said)?.[1];
  if (number !== undefined) return number;
  const names = workout.map(({ exercise_name }) => String(exercise_name).toLowerCase());
  const [name] = names.filter((one) => said.toLowerCase().includes(one)).sort((a, b) => b.length - a.length);
  return name === undefined ? undefined : String(names.indexOf(name) + 1);
}

/** Reads the number next to one of these words, e.g. `sets 4`, `load: 60` or `20 kg`. */
function numberBy(said: string, ...words: readonly string[]): number | undefined {
  for (const word of words) {
    const found =
      new RegExp(`\\b${word}\\b\\s*:?\\s*(?:to\\s+)?(\\d+(?:\\.\\d+)?)`, "i").exec(said) ??
      new RegExp(`(\\d+(?:\\.\\d+)?)\\s*${word}\\b`, "i").exec(said);
    if (found !== null) return Number(found[1]);
  }
  return undefined;
}

/** Returns one value per set: `value` for each, or the values of `before` if `value` is `undefined`. */
function forEach(sets: number, value: number | undefined, before: unknown): number[] | undefined {
  const known = Array.isArray(before) ? before.map(Number) : [];
  if (value === undefined && known.length === 0) return undefined;
  return Array.from({ length: sets }, (_, at) => value ?? known[at] ?? known.at(-1) ?? 0);
}
