import type { Schema as Part } from "@cfworker/json-schema";
import { PawlError } from "../base/errors.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import { dependentOn } from "./judge-object.ts";
import { type Judging, MOST_MISTAKES, tentatively, wrong } from "./judging.ts";

/** Judges a value by the schemas that apply to the same value, e.g. those of `$ref` and `anyOf`. */
export function judgeChoices(at: Judging, schema: Part, value: unknown, seen?: Set<string>): boolean {
  let fits = true;
  const all = schema.allOf ?? [];
  if (schema.$ref !== undefined) fits = at.visit(at, target(at, schema), value, seen);
  for (const part of all) fits = at.visit(at, part, value, seen) && fits;
  if (schema.anyOf !== undefined) fits = judgeAny(at, schema.anyOf, value, seen) && fits;
  if (schema.oneOf !== undefined) fits = judgeOne(at, schema.oneOf, value, seen) && fits;
  if (schema.not !== undefined) fits = judgeNot(at, schema.not, value) && fits;
  if (schema.if !== undefined) fits = judgeIf(at, schema, value, seen) && fits;
  if (isJsonObject(value as Json)) fits = judgeDependent(at, schema, value as object, seen) && fits;
  return fits;
}

function target({ targets }: Judging, schema: Part): Part | boolean {
  const found = targets.get(schema);
  if (found === undefined)
    throw new PawlError(
      "config",
      `The JSON Schema is broken: "${schema.$ref}" refers to nothing in the schema.`,
    );
  return found as Part | boolean;
}

function judgeAny(at: Judging, parts: (Part | boolean)[], value: unknown, seen?: Set<string>): boolean {
  const before = at.mistakes.length;
  let fits = false;
  tentatively(at, () => {
    for (const part of parts) {
      fits = at.visit(at, part, value, seen) || fits;
      // Later schemas are only asked for what they have seen.
      if (fits && seen === undefined) break;
    }
  });
  if (fits) at.mistakes.length = before;
  return fits || misfit(at, before, "anyOf", "Instance does not match any subschemas.");
}

function judgeOne(at: Judging, parts: (Part | boolean)[], value: unknown, seen?: Set<string>): boolean {
  const before = at.mistakes.length;
  const matches = tentatively(at, () => parts.filter((part) => at.visit(at, part, value, seen))).length;
  if (matches === 1) at.mistakes.length = before;
  const message = `Instance does not match exactly one subschema (${matches} matches).`;
  return matches === 1 || misfit(at, before, "oneOf", message);
}

/** Notes that a choice does not fit, before what is wrong with each of its schemas. */
function misfit(at: Judging, before: number, keyword: string, message: string): false {
  const inside = at.mistakes.splice(before);
  wrong(at, keyword, message);
  at.mistakes.push(...inside.slice(0, MOST_MISTAKES - at.mistakes.length));
  return false;
}

function judgeNot(at: Judging, part: Part | boolean, value: unknown): boolean {
  const before = at.mistakes.length;
  const matches = tentatively(at, () => at.visit(at, part, value));
  at.mistakes.length = before;
  return !matches || wrong(at, "not", 'Instance matched "not" schema.');
}

function judgeIf(at: Judging, schema: Part, value: unknown, seen?: Set<string>): boolean {
  const before = at.mistakes.length;
  const matches = tentatively(at, () => at.visit(at, schema.if as Part | boolean, value, seen));
  at.mistakes.length = before;
  const next = matches ? schema.then : schema.else;
  return next === undefined || at.visit(at, next, value, seen);
}

/** Judges by `dependentSchemas`, and by the schemas in `dependencies` of older drafts. */
function judgeDependent(at: Judging, schema: Part, value: object, seen?: Set<string>): boolean {
  let fits = true;
  for (const keyword of [schema.dependentSchemas, schema.dependencies])
    for (const [, part] of dependentOn(at, value, keyword))
      if (!Array.isArray(part)) fits = at.visit(at, part as Part | boolean, value, seen) && fits;
  return fits;
}
