import type { Schema as Part } from "@cfworker/json-schema";
import type { Json, JsonObject } from "../base/json.ts";
import { compiled } from "./judge-values.ts";
import { type Judging, judgePart, spend, tentatively, wrong } from "./judging.ts";

/** Judges an object by the keywords for objects. */
export function judgeObject(at: Judging, schema: Part, value: JsonObject, seen?: Set<string>): boolean {
  const fits = [
    judgeRequired(at, schema, value),
    judgeSize(at, schema, value),
    judgeNames(at, schema, value),
    judgeProperties(at, schema, value, seen),
  ];
  return !fits.includes(false);
}

function judgeRequired(at: Judging, schema: Part, value: JsonObject): boolean {
  let fits = missing(at, schema.required ?? [], value);
  for (const dependent of [schema.dependencies, schema.dependentRequired])
    for (const [key, names] of dependentOn(at, value, dependent))
      if (Array.isArray(names)) fits = missing(at, names, value, key) && fits;
  return fits;
}

/** Returns the entries of a keyword whose names are fields of the value. */
export function dependentOn(at: Judging, value: object, keyword?: object): readonly [string, unknown][] {
  // Most schemas have none, and a result may have 100,000 parts.
  if (keyword === undefined) return [];
  const entries = Object.entries(keyword);
  spend(at, entries.length / 16);
  return entries.filter(([name]) => Object.hasOwn(value, name));
}

function missing(at: Judging, names: readonly string[], value: JsonObject, key?: string): boolean {
  spend(at, names.length / 16);
  let fits = true;
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    fits =
      key === undefined
        ? wrong(at, "required", "is missing", name)
        : wrong(at, "dependentRequired", `Instance has "${key}" but does not have "${name}".`);
  }
  return fits;
}

function judgeSize(at: Judging, { minProperties, maxProperties }: Part, value: JsonObject): boolean {
  if (minProperties === undefined && maxProperties === undefined) return true;
  const { length } = countedKeys(at, value);
  if (minProperties !== undefined && length < minProperties)
    return wrong(at, "minProperties", `Instance does not have at least ${minProperties} properties.`);
  if (maxProperties !== undefined && length > maxProperties)
    return wrong(at, "maxProperties", `Instance does not have at most ${maxProperties} properties.`);
  return true;
}

function countedKeys(at: Judging, value: JsonObject): string[] {
  const keys = Object.keys(value);
  spend(at, keys.length / 16);
  return keys;
}

function judgeNames(at: Judging, { propertyNames }: Part, value: JsonObject): boolean {
  if (propertyNames === undefined) return true;
  let fits = true;
  for (const key of countedKeys(at, value)) {
    const before = at.mistakes.length;
    const isName = tentatively(at, () => judgePart(at, propertyNames as Part | boolean, key, key));
    at.mistakes.length = before;
    if (!isName) fits = wrong(at, "propertyNames", `Property name "${key}" does not match schema.`);
  }
  return fits;
}

function judgeProperties(at: Judging, schema: Part, value: JsonObject, seen?: Set<string>): boolean {
  const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema;
  let fits = true;
  const judge = (part: unknown, key: string) => {
    seen?.add(key);
    fits = judgePart(at, part as Part | boolean, key, value[key] as Json) && fits;
  };
  spend(at, Object.keys(properties).length / 16);
  for (const [key, part] of Object.entries(properties)) if (Object.hasOwn(value, key)) judge(part, key);
  const patterns = Object.entries(patternProperties);
  if (patterns.length === 0 && additionalProperties === undefined && unevaluatedProperties === undefined)
    return fits;
  for (const key of countedKeys(at, value)) {
    const matching = patterns.filter(([pattern]) => compiled(at, pattern).test(key));
    for (const [, part] of matching) judge(part, key);
    const isKnown = matching.length > 0 || Object.hasOwn(properties, key);
    if (!isKnown && additionalProperties !== undefined) judge(additionalProperties, key);
    else if (unevaluatedProperties !== undefined && !seen?.has(key)) judge(unevaluatedProperties, key);
  }
  return fits;
}
