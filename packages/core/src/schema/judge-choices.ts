import type { Schema as Part } from "@cfworker/json-schema";
import { PawlError } from "../base/errors.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import { dependentOn } from "./judge-object.ts";
import { MOST_MISTAKES, tentatively, type ValidationState, wrong } from "./judging.ts";

/**
 * Returns whether a value is valid by the keywords whose schemas apply to the same value, e.g. `$ref` and
 * `anyOf`. Notes its mistakes.
 */
export function judgeChoices(
  state: ValidationState,
  schema: Part,
  value: unknown,
  evaluated?: Set<string>,
): boolean {
  let fits = true;
  if (schema.$ref !== undefined) fits = state.visit(state, referredSchema(state, schema), value, evaluated);
  for (const part of schema.allOf ?? []) fits = state.visit(state, part, value, evaluated) && fits;
  if (schema.anyOf !== undefined) fits = judgeAny(state, schema.anyOf, value, evaluated) && fits;
  if (schema.oneOf !== undefined) fits = judgeOne(state, schema.oneOf, value, evaluated) && fits;
  if (schema.not !== undefined) fits = judgeNot(state, schema.not, value) && fits;
  if (schema.if !== undefined) fits = judgeIf(state, schema, value, evaluated) && fits;
  if (isJsonObject(value as Json)) fits = judgeDependent(state, schema, value as object, evaluated) && fits;
  return fits;
}

/** Returns the schema that the `$ref` of a schema leads to. @throws PawlError `config` if it leads to none */
function referredSchema({ targets }: ValidationState, schema: Part): Part | boolean {
  const found = targets.get(schema);
  if (found === undefined)
    throw new PawlError(
      "config",
      `The JSON Schema is broken: "${schema.$ref}" refers to nothing in the schema.`,
    );
  return found as Part | boolean;
}

function judgeAny(
  state: ValidationState,
  parts: (Part | boolean)[],
  value: unknown,
  evaluated?: Set<string>,
): boolean {
  const mistakesBefore = state.mistakes.length;
  let fits = false;
  tentatively(state, () => {
    for (const part of parts) {
      fits = state.visit(state, part, value, evaluated) || fits;
      // After a match, later schemas matter only for the parts of the value that they evaluate.
      if (fits && evaluated === undefined) break;
    }
  });
  if (fits) state.mistakes.length = mistakesBefore;
  return fits || misfit(state, mistakesBefore, "anyOf", "Instance does not match any subschemas.");
}

function judgeOne(
  state: ValidationState,
  parts: (Part | boolean)[],
  value: unknown,
  evaluated?: Set<string>,
): boolean {
  const mistakesBefore = state.mistakes.length;
  const matches = tentatively(state, () =>
    parts.filter((part) => state.visit(state, part, value, evaluated)),
  ).length;
  if (matches === 1) state.mistakes.length = mistakesBefore;
  const message = `Instance does not match exactly one subschema (${matches} matches).`;
  return matches === 1 || misfit(state, mistakesBefore, "oneOf", message);
}

/** Notes that a choice between schemas failed, and places that before the mistakes by each schema. */
function misfit(state: ValidationState, mistakesBefore: number, keyword: string, message: string): false {
  const byEachSchema = state.mistakes.splice(mistakesBefore);
  wrong(state, keyword, message);
  state.mistakes.push(...byEachSchema.slice(0, MOST_MISTAKES - state.mistakes.length));
  return false;
}

function judgeNot(state: ValidationState, part: Part | boolean, value: unknown): boolean {
  const mistakesBefore = state.mistakes.length;
  const matches = tentatively(state, () => state.visit(state, part, value));
  state.mistakes.length = mistakesBefore;
  return !matches || wrong(state, "not", 'Instance matched "not" schema.');
}

function judgeIf(state: ValidationState, schema: Part, value: unknown, evaluated?: Set<string>): boolean {
  const mistakesBefore = state.mistakes.length;
  const matches = tentatively(state, () => state.visit(state, schema.if as Part | boolean, value, evaluated));
  state.mistakes.length = mistakesBefore;
  const next = matches ? schema.then : schema.else;
  return next === undefined || state.visit(state, next, value, evaluated);
}

/** Judges by `dependentSchemas`, and by the schemas in `dependencies` of older drafts. */
function judgeDependent(
  state: ValidationState,
  schema: Part,
  value: object,
  evaluated?: Set<string>,
): boolean {
  let fits = true;
  for (const keyword of [schema.dependentSchemas, schema.dependencies])
    for (const [, part] of dependentOn(state, value, keyword))
      if (!Array.isArray(part)) fits = state.visit(state, part as Part | boolean, value, evaluated) && fits;
  return fits;
}
