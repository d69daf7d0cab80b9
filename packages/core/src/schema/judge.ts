import type { Schema as Part } from "@cfworker/json-schema";
import type { JsonObject } from "../base/json.ts";
import { judgeArray } from "./judge-array.ts";
import { judgeChoices } from "./judge-choices.ts";
import { judgeObject } from "./judge-object.ts";
import { judgeNumber, judgeText, judgeType, judgeValues } from "./judge-values.ts";
import {
  DEEPEST,
  Enough,
  type Judging,
  type Mistake,
  type PreparedSchema,
  spend,
  TooMuchWork,
  wrong,
} from "./judging.ts";
import { resolveSchema } from "./resolve-schema.ts";

/** The steps that a validation by another server's schema may take. */
export const MOST_STEPS = 50_000;

/** Prepares a JSON Schema (draft 2020-12) for validations. @throws if an `$id` or `$ref` is not a URI */
export function judgeOf(schema: JsonObject): PreparedSchema {
  const { root, parts, targets } = resolveSchema(schema);
  const tracks = parts.some(
    (part) => part.unevaluatedProperties !== undefined || part.unevaluatedItems !== undefined,
  );
  return { root: root as Part, targets, tracks, patterns: new Map() };
}

/**
 * Validates a value. Returns at most ten mistakes, or none if the value is valid. A value that takes more
 * steps than `steps` to validate is invalid, and so is one that is nested too deeply.
 */
// Why not the validator of @cfworker/json-schema: docs/decisions/0018-work.md.
export function mistakesIn(judge: PreparedSchema, value: unknown, steps: number): readonly Mistake[] {
  const at: Judging = { ...judge, visit, mistakes: [], path: [], tentative: 0, depth: 0, left: steps };
  try {
    visit(at, judge.root, value);
  } catch (error) {
    if (error instanceof TooMuchWork) return [ofWhole(`it takes more than ${steps} steps to validate`)];
    if (error instanceof RangeError) return [ofWhole("it is nested too deeply")];
    if (!(error instanceof Enough)) throw error;
  }
  return at.mistakes.map(({ message, ...mistake }) => ({
    ...mistake,
    message: typeof message === "string" ? message : message(),
  }));
}

const ofWhole = (message: string): Mistake => ({ path: [], keyword: "steps", message });

function visit(at: Judging, schema: Part | boolean, value: unknown, seen?: Set<string>): boolean {
  spend(at, 1);
  if (typeof schema === "boolean") return schema || wrong(at, "false", "False boolean schema.");
  if (at.depth > DEEPEST) throw new RangeError();
  at.depth += 1;
  const mine = at.tracks ? new Set<string>() : undefined;
  const fits = [
    judgeType(at, schema, value),
    judgeValues(at, schema, value),
    judgeChoices(at, schema, value, mine),
    judgeKind(at, schema, value, mine),
  ];
  at.depth -= 1;
  if (fits.includes(false)) return false;
  if (seen !== undefined && mine !== undefined) {
    spend(at, mine.size / 16);
    for (const key of mine) seen.add(key);
  }
  return true;
}

function judgeKind(at: Judging, schema: Part, value: unknown, seen?: Set<string>): boolean {
  if (typeof value === "string") return judgeText(at, schema, value);
  if (typeof value === "number") return judgeNumber(at, schema, value);
  if (Array.isArray(value)) return judgeArray(at, schema, value, seen);
  if (typeof value !== "object" || value === null) return true;
  return judgeObject(at, schema, value as JsonObject, seen);
}
