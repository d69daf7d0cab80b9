import type { Schema as Part } from "@cfworker/json-schema";
import type { JsonObject } from "../base/json.ts";
import { judgeArray } from "./judge-array.ts";
import { judgeChoices } from "./judge-choices.ts";
import { judgeObject } from "./judge-object.ts";
import { judgeNumber, judgeText, judgeType, judgeValues } from "./judge-values.ts";
import {
  DEEPEST,
  EnoughMistakes,
  type Mistake,
  type PreparedSchema,
  spend,
  TooMuchWork,
  type ValidationState,
  wrong,
} from "./judging.ts";
import { resolveSchema } from "./resolve-schema.ts";

/** The most steps that a validation by another server's schema may take. */
export const MOST_STEPS = 50_000;

/** Prepares a JSON Schema (draft 2020-12) for validations. @throws see {@link resolveSchema} */
export function judgeOf(schema: JsonObject): PreparedSchema {
  const { root, parts, targets } = resolveSchema(schema);
  const tracks = parts.some(
    (part) => part.unevaluatedProperties !== undefined || part.unevaluatedItems !== undefined,
  );
  return { root: root as Part, targets, tracks, patterns: new Map() };
}

/**
 * Validates a value. Returns its first ten mistakes; none if the value is valid. A value that takes more than
 * `steps` steps to validate is invalid, and so is one that is nested too deeply.
 */
// Why not the validator of @cfworker/json-schema: docs/decisions/0018-work.md.
export function findMistakes(judge: PreparedSchema, value: unknown, steps: number): readonly Mistake[] {
  const state: ValidationState = {
    ...judge,
    visit,
    mistakes: [],
    path: [],
    tentative: 0,
    depth: 0,
    left: steps,
  };
  try {
    visit(state, judge.root, value);
  } catch (error) {
    if (error instanceof TooMuchWork)
      return [wholeValueMistake(`it takes more than ${steps} steps to validate`)];
    if (error instanceof RangeError) return [wholeValueMistake("it is nested too deeply")];
    if (!(error instanceof EnoughMistakes)) throw error;
  }
  return state.mistakes.map(({ message, ...mistake }) => ({
    ...mistake,
    message: typeof message === "string" ? message : message(),
  }));
}

const wholeValueMistake = (message: string): Mistake => ({ path: [], keyword: "steps", message });

/** Judges a value by a schema, see {@link Visit}. */
function visit(
  state: ValidationState,
  schema: Part | boolean,
  value: unknown,
  evaluated?: Set<string>,
): boolean {
  spend(state, 1);
  if (typeof schema === "boolean") return schema || wrong(state, "false", "False boolean schema.");
  if (state.depth > DEEPEST) throw new RangeError();
  state.depth += 1;
  const evaluatedHere = state.tracks ? new Set<string>() : undefined;
  const fits = [
    judgeType(state, schema, value),
    judgeValues(state, schema, value),
    judgeChoices(state, schema, value, evaluatedHere),
    judgeKind(state, schema, value, evaluatedHere),
  ];
  state.depth -= 1;
  if (fits.includes(false)) return false;
  // Only a schema that accepts the value has evaluated its parts.
  if (evaluated !== undefined && evaluatedHere !== undefined) {
    spend(state, evaluatedHere.size / 16);
    for (const key of evaluatedHere) evaluated.add(key);
  }
  return true;
}

/** Judges a value by the keywords for its type. */
function judgeKind(state: ValidationState, schema: Part, value: unknown, evaluated?: Set<string>): boolean {
  if (typeof value === "string") return judgeText(state, schema, value);
  if (typeof value === "number") return judgeNumber(state, schema, value);
  if (Array.isArray(value)) return judgeArray(state, schema, value, evaluated);
  if (typeof value !== "object" || value === null) return true;
  return judgeObject(state, schema, value as JsonObject, evaluated);
}
