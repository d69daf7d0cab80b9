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

/** Adds definitions to a schema, in the places to which their references lead. */
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

/** Returns the references from a part of a schema to definitions, directly or through other definitions. */
export function reachableFrom(root: JsonObject, part: Json): Set<string> {
  const found = new Set<string>();
  const visit = (schema: Json) => {
    for (const ref of referencesIn(schema)) {
      const definition = definitionOf(root, ref);
      if (definition === undefined || found.has(ref as string)) continue;
      found.add(ref as string);
      visit(definition);
    }
  };
  visit(part);
  return found;
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
