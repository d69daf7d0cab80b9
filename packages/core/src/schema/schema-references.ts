import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { schemasIn } from "./subschemas.ts";

const DEFINITION = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** Returns where a `$ref` to a definition leads; `undefined` for any other value. */
function placeOfReference(ref: Json | undefined): { place: string; name: string } | undefined {
  const [, place, name] = (typeof ref === "string" ? DEFINITION.exec(ref) : null) ?? [];
  return place === undefined || name === undefined ? undefined : { place, name: unescaped(name) };
}

/** Returns the name in a JSON Pointer of a URL. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

/**
 * Returns the definition that a `$ref` names, if it is one in the `$defs` or `definitions` of the whole
 * schema.
 */
export function definitionOf(root: JsonObject, ref: Json | undefined): Json | undefined {
  const { place = "", name = "" } = placeOfReference(ref) ?? {};
  const definitions = Object.hasOwn(root, place) ? root[place] : undefined;
  return isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** Adds definitions to a schema, in its `$defs` or `definitions`, as their `$ref`s say. */
export function withDefinitions(schema: JsonObject, definitions: ReadonlyMap<string, Json>): JsonObject {
  const entries = [...definitions].map(([ref, definition]) => ({ ...placeOfReference(ref), definition }));
  const places = [...new Set(entries.map(({ place = "" }) => place))];
  const added = places.map((place): [string, JsonObject] => [
    place,
    Object.fromEntries(
      entries.filter((one) => one.place === place).map(({ name = "", definition }) => [name, definition]),
    ),
  ]);
  return { ...schema, ...Object.fromEntries(added) };
}

/** Returns the references of a schema and of the schemas inside it. */
export function referencesIn(schema: Json): Json[] {
  return [...schemasIn(schema)].flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
}

/**
 * Returns the references to definitions that contain themselves, directly or through other definitions.
 * Returns `undefined` if the schema refers to more than `most` definitions: the time grows with their square.
 */
export function recursiveReferences(root: JsonObject, most: number): ReadonlySet<string> | undefined {
  const direct = new Map<string, ReadonlySet<string>>();
  const waiting = [definedIn(root, root)];
  for (const refs of waiting) {
    for (const ref of refs) {
      if (direct.has(ref)) continue;
      if (direct.size === most) return undefined;
      const next = definedIn(root, definitionOf(root, ref) as Json);
      direct.set(ref, next);
      waiting.push(next);
    }
  }
  return new Set([...direct.keys()].filter((ref) => leadsTo(direct, ref, ref)));
}

/** Returns the references in a part of a schema that name its definitions. */
function definedIn(root: JsonObject, part: Json): ReadonlySet<string> {
  return new Set(referencesIn(part).filter((ref) => definitionOf(root, ref) !== undefined) as string[]);
}

function leadsTo(direct: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const found = new Set(direct.get(from));
  for (const ref of found) for (const next of direct.get(ref) ?? []) found.add(next);
  return found.has(to);
}

/** Returns the schema as a part of a document at this place: its references lead into that part. */
export function movedTo(schema: JsonObject, at: string): JsonObject {
  const copy = structuredClone(schema);
  for (const part of schemasIn(copy)) {
    const { $ref } = part;
    if (typeof $ref === "string" && /^#(\/|$)/.test($ref)) part.$ref = at + $ref.slice(1);
  }
  return copy;
}
