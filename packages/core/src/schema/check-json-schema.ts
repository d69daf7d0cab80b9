import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { isRegularExpression } from "./is-regular-expression.ts";
import { resolveSchema } from "./resolve-schema.ts";
import { schemasIn, subschemaKind } from "./subschemas.ts";

const TYPES: readonly Json[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/**
 * Describes the first invalid part of a JSON Schema (draft 2020-12). Returns `undefined` if the schema is
 * valid. The Messages API would refuse every request with an invalid schema. Regular expressions in the
 * schema are compiled with `flags`.
 */
export function describeInvalidPart(schema: JsonObject, flags: "" | "u" = ""): string | undefined {
  return brokenAt([schema, "#"], flags) ?? brokenReference(schema);
}

/**
 * Describes the first keyword of a JSON Schema that restricts values, but that `jsonSchema()` does not
 * evaluate. Returns `undefined` without one.
 */
export function unjudgedPart(schema: JsonObject): string | undefined {
  for (const part of schemasIn(schema)) {
    const keyword = NOT_EVALUATED.find((key) => Object.hasOwn(part, key));
    if (keyword !== undefined) return `it has "${keyword}", which is not evaluated; use "$ref"`;
  }
  return undefined;
}

const NOT_EVALUATED: readonly string[] = ["$dynamicRef", "$recursiveRef"];

/** A value that must be a schema, and its place in the whole schema, e.g. `#/properties/name`. */
type Part = readonly [value: Json | undefined, place: string];

/** Describes the first invalid part of a schema and the schemas inside it, apart from its references. */
function brokenAt([value, place]: Part, flags: string): string | undefined {
  if (typeof value === "boolean") return undefined;
  if (!isJsonObject(value)) return `${place} is not a schema`;
  const broken = brokenKeyword(value, place) ?? brokenPattern(value, place, flags);
  if (broken !== undefined) return broken;
  for (const part of subschemasOf(value, place)) {
    const brokenInside = brokenAt(part, flags);
    if (brokenInside !== undefined) return brokenInside;
  }
  return undefined;
}

/**
 * Returns the schemas directly inside a schema. A keyword whose value should be a list or an object of
 * schemas and is not gives a part without a value, which is invalid.
 */
function subschemasOf(schema: JsonObject, place: string): Part[] {
  return Object.entries(schema).flatMap(([key, value]): Part[] => {
    const kind = subschemaKind(key);
    if (kind === undefined) return [];
    if (kind === "one") return [[value, `${place}/${key}`]];
    const isGroup = kind === "list" ? Array.isArray(value) : isJsonObject(value);
    if (!isGroup) return [[undefined, `${place}/${key}`]];
    return Object.entries(value as JsonObject).map(([name, part]) => [part, `${place}/${key}/${name}`]);
  });
}

function brokenKeyword({ type, required, enum: values }: JsonObject, place: string): string | undefined {
  const types = Array.isArray(type) ? type : [type ?? "object"];
  const unknown = types.find((name) => !TYPES.includes(name));
  if (unknown !== undefined) return `${place} has the unknown type ${JSON.stringify(unknown)}`;
  if (required !== undefined && !isListOfNames(required)) return `${place}/required is not a list of names`;
  return values === undefined || Array.isArray(values) ? undefined : `${place}/enum is not a list`;
}

function brokenPattern(
  { pattern, patternProperties }: JsonObject,
  place: string,
  flags: string,
): string | undefined {
  const patterns = [pattern ?? "", ...Object.keys(patternProperties ?? {})];
  const broken = patterns.find((text) => !isPattern(text, flags));
  return broken === undefined
    ? undefined
    : `${place} has an invalid regular expression: ${JSON.stringify(broken)}`;
}

function isPattern(pattern: Json, flags: string): boolean {
  return typeof pattern === "string" && isRegularExpression(pattern, flags);
}

function brokenReference(schema: JsonObject): string | undefined {
  const { targets } = resolveSchema(schema);
  for (const [part, target] of targets)
    if (target === undefined) return `"${(part as JsonObject).$ref}" refers to nothing in the schema`;
  const endless = endlessReference(targets);
  return endless && `"${endless}" leads back to itself without a property or an item in between`;
}

const isListOfNames = (value: Json): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** Keywords whose schemas apply to the same value as the schema around them. */
const IN_PLACE: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
];

/**
 * Returns a reference that a validator would follow forever, because it leads back to its own schema for the
 * same value; `undefined` if the schema has no such reference.
 *
 * @param targets the schemas that have references, and where those lead
 */
export function endlessReference(targets: ReadonlyMap<object, unknown>): string | undefined {
  const applied = appliedBy(targets);
  /** By schema: the schemas that apply it. */
  const appliers = new Map<unknown, unknown[]>();
  for (const [part, inner] of applied) {
    for (const other of inner) {
      const known = appliers.get(other);
      if (known === undefined) appliers.set(other, [part]);
      else known.push(part);
    }
  }
  // Schemas that apply no others are removed, again and again. Those that remain lead in circles.
  const remaining = new Map([...applied].map(([part, inner]) => [part, inner.length]));
  const removable = [...remaining.keys()].filter((part) => remaining.get(part) === 0);
  for (const part of removable) {
    remaining.delete(part);
    for (const applier of appliers.get(part) ?? []) {
      const count = (remaining.get(applier) ?? 0) - 1;
      remaining.set(applier, count);
      if (count === 0) removable.push(applier);
    }
  }
  const endless = [...targets.keys()].find((part) => remaining.has(part)) as { $ref?: string } | undefined;
  return endless?.$ref;
}

/**
 * Returns, by schema, the schemas that it applies to the same value. Begins with the schemas that have
 * references, and continues with those that they apply.
 */
function appliedBy(targets: ReadonlyMap<object, unknown>): ReadonlyMap<unknown, readonly unknown[]> {
  const applied = new Map<unknown, readonly unknown[]>();
  const waiting: unknown[] = [...targets.keys()];
  for (const part of waiting) {
    if (applied.has(part)) continue;
    const target = targets.get(part as object);
    const inner = target === undefined ? inPlace(part) : [...inPlace(part), target];
    applied.set(part, inner);
    for (const other of inner) waiting.push(other);
  }
  return applied;
}

/** Returns the schemas directly in a schema that apply to the same value. A schema may also be a boolean. */
function inPlace(schema: unknown): unknown[] {
  return Object.entries(Object(schema)).flatMap(([keyword, value]) => {
    if (!IN_PLACE.includes(keyword)) return [];
    return subschemaKind(keyword) === "one" ? [value] : Object.values(Object(value));
  });
}
