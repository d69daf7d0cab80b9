import type { Schema as Part } from "@cfworker/json-schema";
import type { Json, JsonObject } from "../base/json.ts";
import { compiled } from "./judge-values.ts";
import { judgePart, spend, tentatively, type ValidationState, wrong } from "./judging.ts";

/** Returns whether an object is valid by the keywords for objects. Notes its mistakes. */
export function judgeObject(
  state: ValidationState,
  schema: Part,
  value: JsonObject,
  evaluated?: Set<string>,
): boolean {
  const fits = [
    judgeRequired(state, schema, value),
    judgeSize(state, schema, value),
    judgePropertyNames(state, schema, value),
    judgeProperties(state, schema, value, evaluated),
  ];
  return !fits.includes(false);
}

/**
 * Judges by `required`, `dependentRequired`, and the lists of names in `dependencies` of older drafts. Notes
 * all missing fields, not only the first. `judgeDependent` judges by the schemas in `dependencies`.
 */
function judgeRequired(state: ValidationState, schema: Part, value: JsonObject): boolean {
  let fits = hasFields(state, schema.required ?? [], value);
  for (const byName of [schema.dependencies, schema.dependentRequired])
    for (const [key, names] of dependentOn(state, value, byName))
      if (Array.isArray(names)) fits = hasFields(state, names, value, key) && fits;
  return fits;
}

/** Returns the entries of a keyword, e.g. of `dependentRequired`, whose names are fields of the value. */
export function dependentOn(
  state: ValidationState,
  value: object,
  byName?: object,
): readonly [string, unknown][] {
  // A fast path: most schemas lack such a keyword, and a value may have 100,000 parts.
  if (byName === undefined) return [];
  const entries = Object.entries(byName);
  spend(state, entries.length / 16);
  return entries.filter(([name]) => Object.hasOwn(value, name));
}

/**
 * Returns whether a value has these fields. Notes each missing one. `key` is the field that requires them.
 */
function hasFields(
  state: ValidationState,
  names: readonly string[],
  value: JsonObject,
  key?: string,
): boolean {
  spend(state, names.length / 16);
  let fits = true;
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    fits =
      key === undefined
        ? wrong(state, "required", "is missing", name)
        : wrong(state, "dependentRequired", `Instance has "${key}" but does not have "${name}".`);
  }
  return fits;
}

function judgeSize(
  state: ValidationState,
  { minProperties, maxProperties }: Part,
  value: JsonObject,
): boolean {
  if (minProperties === undefined && maxProperties === undefined) return true;
  const { length } = countedKeys(state, value);
  if (minProperties !== undefined && length < minProperties)
    return wrong(state, "minProperties", `Instance does not have at least ${minProperties} properties.`);
  if (maxProperties !== undefined && length > maxProperties)
    return wrong(state, "maxProperties", `Instance does not have at most ${maxProperties} properties.`);
  return true;
}

/** Returns the keys of an object, and counts the work of reading them. */
function countedKeys(state: ValidationState, value: JsonObject): string[] {
  const keys = Object.keys(value);
  spend(state, keys.length / 16);
  return keys;
}

function judgePropertyNames(state: ValidationState, { propertyNames }: Part, value: JsonObject): boolean {
  if (propertyNames === undefined) return true;
  let fits = true;
  for (const key of countedKeys(state, value)) {
    const mistakesBefore = state.mistakes.length;
    const isValidName = tentatively(state, () => judgePart(state, propertyNames as Part | boolean, key, key));
    state.mistakes.length = mistakesBefore;
    if (!isValidName) fits = wrong(state, "propertyNames", `Property name "${key}" does not match schema.`);
  }
  return fits;
}

function judgeProperties(
  state: ValidationState,
  schema: Part,
  value: JsonObject,
  evaluated?: Set<string>,
): boolean {
  const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema;
  let fits = true;
  const judge = (part: unknown, key: string) => {
    evaluated?.add(key);
    fits = judgePart(state, part as Part | boolean, key, value[key] as Json) && fits;
  };
  spend(state, Object.keys(properties).length / 16);
  for (const [key, part] of Object.entries(properties)) if (Object.hasOwn(value, key)) judge(part, key);
  // The other keywords need a look at every key.
  const patterns = Object.entries(patternProperties);
  if (patterns.length === 0 && additionalProperties === undefined && unevaluatedProperties === undefined)
    return fits;
  for (const key of countedKeys(state, value)) {
    const matching = patterns.filter(([pattern]) => compiled(state, pattern).test(key));
    for (const [, part] of matching) judge(part, key);
    const isListed = matching.length > 0 || Object.hasOwn(properties, key);
    if (!isListed && additionalProperties !== undefined) judge(additionalProperties, key);
    else if (unevaluatedProperties !== undefined && !evaluated?.has(key)) judge(unevaluatedProperties, key);
  }
  return fits;
}
