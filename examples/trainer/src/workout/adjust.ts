import type { Json, JsonObject } from "@pawl/core";
import type * as z from "zod";
import { type Exercise, exerciseInput, type Group } from "./exercise.ts";
import { withFields } from "./operations.ts";
import { exerciseOf, spread } from "./workout.ts";

/** Fields that an adjustment cannot change, because they identify the exercise or its place. */
const PROTECTED: readonly string[] = ["id", "exercise_type", "type", "order"];
const PROTECTED_IN_GROUP: readonly string[] = ["id", "type", "position"];

/** An adjustment, or the reason why it is not possible. */
export type Adjusted =
  | {
      ok: true;
      exercise: Exercise;
      /** All fields that changed, including derived ones; `null` for a removed field. */
      adjustments: JsonObject;
      /** The values of these fields before the change; `null` for a field that was absent. */
      oldValues: JsonObject;
    }
  | { ok: false; problem: string };

/**
 * Changes fields of an exercise, provided that it stays valid for its type. `null` removes an optional field.
 * If the number of sets changes, lists that `asked` does not name are shortened, or extended by their last
 * value.
 *
 * @example
 * ```ts
 * import { adjust, type Exercise } from "@pawl/example-trainer";
 *
 * const press: Exercise = {
 *   id: "e1",
 *   order: 1,
 *   exercise_type: "reps",
 *   exercise_name: "Bench press",
 *   sets: 3,
 *   reps: [8, 8, 8],
 *   rest_sec: 90,
 *   muscles_utilized: [{ muscle: "Chest", share: 1 }],
 *   goals_addressed: [{ goal: "strength", share: 1 }],
 *   reasoning: "It is heavy.",
 * };
 * const adjusted = adjust(press, { sets: 2 });
 * console.log(adjusted.ok && adjusted.adjustments); // { sets: 2, reps: [ 8, 8 ] }
 * console.log(adjust(press, { order: 2 }));
 * // { ok: false, problem: "order is protected and cannot be changed. …" }
 * ```
 */
export function adjust(exercise: Exercise, asked: { readonly [field: string]: unknown }): Adjusted {
  const problem = refused(exercise, asked);
  if (problem !== undefined) return { ok: false, problem };
  const { id, order, ...before } = exercise;
  const wanted = withFields(before, { ...asked, ...groupFields(exercise.group, asked.group) });
  const sets = Number((wanted as { sets?: unknown }).sets);
  const fitted =
    Number.isInteger(sets) && sets >= 1 && sets <= 1_000 ? withLists(wanted, asked, sets) : wanted;
  const parsed = exerciseInput.safeParse(fitted);
  if (!parsed.success)
    return { ok: false, problem: `The exercise would not be valid: ${problemsOf(parsed.error)}.` };
  const after = exerciseOf(parsed.data, id, order);
  return { ok: true, exercise: after, ...difference(exercise, after) };
}

/** Formats the first ten issues of a failed validation on one line. */
export function problemsOf({ issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return lines.slice(0, 10).join("; ");
}

function refused(
  { group, exercise_type }: Exercise,
  asked: { readonly [field: string]: unknown },
): string | undefined {
  const fields = Object.keys(asked);
  if (fields.length === 0) return "Name at least one field to change.";
  const kept = fields.filter((field) => PROTECTED.includes(field));
  if (kept.length > 0) {
    const what =
      kept.length === 1 ? "is protected and cannot be changed" : "are protected and cannot be changed";
    return `${kept.join(", ")} ${what}. This is an exercise of type ${exercise_type}; to get another one, use swap_exercise.`;
  }
  if (!("group" in asked)) return undefined;
  if (group === undefined || asked.group === null || typeof asked.group !== "object")
    return "An adjustment cannot add an exercise to a group or remove it from one. Use generate_workout to make a new workout.";
  const fixed = Object.keys(asked.group).filter((field) => PROTECTED_IN_GROUP.includes(field));
  if (fixed.length > 0) return `${fixed.map((field) => `group.${field}`).join(", ")} cannot be changed.`;
  return group.position === 1
    ? undefined
    : "Name, rounds and rest of a group are changed at its first exercise.";
}

function groupFields(group: Group | undefined, asked: unknown): { group?: Group } {
  return group === undefined || asked === undefined ? {} : { group: withFields(group, asked as object) };
}

/** Adapts the lists that `asked` does not name to the number of sets. */
function withLists(wanted: object, asked: object, sets: number): object {
  const named = (name: string): boolean => Object.hasOwn(asked, name);
  const own = Object.entries(wanted).filter(([name]) => !named(name));
  const fitted = spread({ ...Object.fromEntries(own), sets: Math.min(sets, 100) } as never) as object;
  const lists = Object.entries(fitted).filter(([name]) => name !== "sets" && !named(name));
  return { ...wanted, ...Object.fromEntries(lists) };
}

function difference(before: Exercise, after: Exercise): { adjustments: JsonObject; oldValues: JsonObject } {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  const different = fields.filter(
    (field) => JSON.stringify(was.get(field)) !== JSON.stringify(is.get(field)),
  );
  const of = (values: ReadonlyMap<string, Json | undefined>): JsonObject =>
    Object.fromEntries(different.map((field) => [field, values.get(field) ?? null]));
  return { adjustments: of(is), oldValues: of(was) };
}

function fieldsOf(exercise: Exercise): ReadonlyMap<string, Json | undefined> {
  return new Map(Object.entries(exercise as unknown as JsonObject));
}
