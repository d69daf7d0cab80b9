import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { endlessReference } from "./endless-reference.ts";
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
 * which other values would be valid. `undefined` if there is none.
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
