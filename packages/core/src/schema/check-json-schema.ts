import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { isRegularExpression } from "./is-regular-expression.ts";
import { resolveSchema } from "./resolve-schema.ts";
import { schemasIn, subschemaKind } from "./subschemas.ts";

const TYPES: readonly Json[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/**
 * Describes the first invalid part of a JSON Schema (draft 2020-12), or returns `undefined` if the schema is
 * valid. The Messages API would refuse every request with an invalid schema. `flags` are the flags with which
 * regular expressions in the schema are compiled.
 */
export function brokenPart(schema: JsonObject, flags: "" | "u" = ""): string | undefined {
  return brokenAt([schema, "#"], flags) ?? brokenReference(schema);
}

/**
 * Describes the first part of a JSON Schema with a keyword that `jsonSchema()` does not evaluate, and without
 * which other values would be valid. `undefined` without one.
 */
export function unjudgedPart(schema: JsonObject): string | undefined {
  for (const part of schemasIn(schema)) {
    const keyword = UNJUDGED.find((key) => Object.hasOwn(part, key));
    if (keyword !== undefined) return `it has "${keyword}", which is not evaluated; use "$ref"`;
  }
  return undefined;
}

const UNJUDGED: readonly string[] = ["$dynamicRef", "$recursiveRef"];

/** A value that must be a schema, and its place in the whole schema, e.g. `#/properties/name`. */
type Part = readonly [value: Json | undefined, at: string];

function brokenAt([value, at]: Part, flags: string): string | undefined {
  if (typeof value === "boolean") return undefined;
  if (!isJsonObject(value)) return `${at} is not a schema`;
  const broken = brokenKeyword(value, at) ?? brokenPattern(value, at, flags);
  if (broken !== undefined) return broken;
  for (const part of subschemasOf(value, at)) {
    const within = brokenAt(part, flags);
    if (within !== undefined) return within;
  }
  return undefined;
}

function subschemasOf(schema: JsonObject, at: string): Part[] {
  return Object.entries(schema).flatMap(([key, value]): Part[] => {
    const kind = subschemaKind(key);
    if (kind === undefined) return [];
    if (kind === "one") return [[value, `${at}/${key}`]];
    const many = kind === "list" ? Array.isArray(value) : isJsonObject(value);
    if (!many) return [[undefined, `${at}/${key}`]];
    return Object.entries(value as JsonObject).map(([name, part]) => [part, `${at}/${key}/${name}`]);
  });
}

function brokenKeyword({ type, required, enum: values }: JsonObject, at: string): string | undefined {
  const types = Array.isArray(type) ? type : [type ?? "object"];
  const unknown = types.find((name) => !TYPES.includes(name));
  if (unknown !== undefined) return `${at} has the unknown type ${JSON.stringify(unknown)}`;
  if (required !== undefined && !isNames(required)) return `${at}/required is not a list of names`;
  return values === undefined || Array.isArray(values) ? undefined : `${at}/enum is not a list`;
}

function brokenPattern(
  { pattern, patternProperties }: JsonObject,
  at: string,
  flags: string,
): string | undefined {
  const patterns = [pattern ?? "", ...Object.keys(patternProperties ?? {})];
  const broken = patterns.find((text) => !isPattern(text, flags));
  return broken === undefined
    ? undefined
    : `${at} has an invalid regular expression: ${JSON.stringify(broken)}`;
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

const isNames = (value: Json): boolean =>
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
  // Schemas that lead nowhere else are removed, until all that are left lead in circles.
  const users = new Map<unknown, unknown[]>();
  for (const [part, next] of applied) {
    for (const other of next) {
      const others = users.get(other);
      if (others === undefined) users.set(other, [part]);
      else others.push(part);
    }
  }
  const left = new Map([...applied].map(([part, next]) => [part, next.length]));
  const done = [...left.keys()].filter((part) => left.get(part) === 0);
  for (const part of done) {
    left.delete(part);
    for (const user of users.get(part) ?? []) {
      const rest = (left.get(user) ?? 0) - 1;
      left.set(user, rest);
      if (rest === 0) done.push(user);
    }
  }
  const endless = [...targets.keys()].find((part) => left.has(part)) as { $ref?: string } | undefined;
  return endless?.$ref;
}

/** Returns the schemas that others apply to the same value, beginning with those that have references. */
function appliedBy(targets: ReadonlyMap<object, unknown>): ReadonlyMap<unknown, readonly unknown[]> {
  const applied = new Map<unknown, readonly unknown[]>();
  const waiting: unknown[] = [...targets.keys()];
  for (const part of waiting) {
    if (applied.has(part)) continue;
    const target = targets.get(part as object);
    const next = target === undefined ? inPlace(part) : [...inPlace(part), target];
    applied.set(part, next);
    for (const other of next) waiting.push(other);
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
