import { isEqualJson, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { schemasIn, withSubschemas } from "./subschemas.ts";

/**
 * Simplifies a JSON Schema without changing what it accepts, for APIs and libraries that support a part of
 * JSON Schema only.
 *
 * - Removes `title`, `$schema` and `$comment`. Properties with these names stay.
 * - Puts definitions in `$defs` and `definitions` in the place of each `$ref` to them. A `$ref` stays if its
 *   definition contains itself, if there are more than 200 definitions, or if the schema would grow beyond
 *   10,000 parts.
 * - Merges an `allOf` with one entry into the schema around it.
 *
 * If the schema has anchors, `$id`s inside it, or references to other places than definitions, only the
 * first rule applies: the references would lead elsewhere.
 *
 * @param at the place of the schema in a document, as a JSON Pointer, e.g. `#/components/schemas/Rank`. The
 * references that stay then lead there. Default: the schema is the document.
 *
 * @example
 * ```ts
 * import { plainJsonSchema } from "@pawl/core/tools";
 *
 * // As Pydantic writes it.
 * const schema = plainJsonSchema({
 *   title: "RankInput",
 *   type: "object",
 *   properties: { rank: { allOf: [{ $ref: "#/$defs/Rank" }], default: "gold" } },
 *   $defs: { Rank: { title: "Rank", type: "string", enum: ["gold", "champion"] } },
 * });
 * console.log(schema); // … { rank: { type: 'string', enum: [ 'gold', 'champion' ], default: 'gold' } } …
 * ```
 */
export function plainJsonSchema(schema: JsonObject, at = "#"): JsonObject {
  const canMove =
    !hasAnchors(schema) && referencesIn(schema).every((ref) => definitionOf(schema, ref) !== undefined);
  const plain = (canMove ? inlined(schema) : undefined) ?? untitled(schema);
  return at === "#" ? plain : movedTo(plain, at);
}

/** The most parts of an inlined schema. A definition that names another one twice doubles it. */
const MOST_PARTS = 10_000;

/** The most definitions of a schema that is inlined. */
const MOST_DEFINITIONS = 200;

const NOISE: readonly string[] = ["title", "$schema", "$comment"];

function untitled(schema: JsonObject): JsonObject {
  return withSubschemas(withoutNoise(schema), (part) => (isJsonObject(part) ? untitled(part) : part));
}

function withoutNoise(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !NOISE.includes(key)));
}

function hasAnchors(schema: JsonObject): boolean {
  const keys = ["$anchor", "$dynamicAnchor", "$dynamicRef"];
  return [...schemasIn(schema)].some(
    (part) => keys.some((key) => Object.hasOwn(part, key)) || (part !== schema && Object.hasOwn(part, "$id")),
  );
}

/**
 * Returns the schema with its definitions in the place of references; `undefined` if it would grow too large.
 */
function inlined(root: JsonObject): JsonObject | undefined {
  const { $defs: _, definitions: __, $id: ___, ...own } = root;
  const recursive = recursiveReferences(root, MOST_DEFINITIONS);
  if (recursive === undefined) return undefined;
  let left = MOST_PARTS;
  const plain = (part: Json): Json => {
    left -= 1;
    return isJsonObject(part) && left >= 0 ? plainObject(part, recursive) : part;
  };
  const plainObject = (part: JsonObject, stay: ReadonlySet<string>): JsonObject => {
    const { $ref, ...beside } = withSubschemas(withoutNoise(part), plain);
    if (typeof $ref !== "string") return merged(beside);
    if (stay.has($ref)) return { $ref, ...beside };
    const { allOf = [] } = beside;
    return merged({ ...beside, allOf: [plain(definitionOf(root, $ref) as Json), ...(allOf as Json[])] });
  };
  // The API requires `type` at the root, so a reference there gives way even if it is recursive.
  const whole = plainObject(own, new Set());
  const kept = new Map<string, Json>();
  const keepFor = (part: Json): void => {
    for (const ref of referencesIn(part) as string[]) {
      if (kept.has(ref)) continue;
      const definition = plain(definitionOf(root, ref) as Json);
      kept.set(ref, definition);
      keepFor(definition);
    }
  };
  keepFor(whole);
  return left < 0 ? undefined : withDefinitions(whole, kept);
}

/** Keywords that only describe. Those beside a reference override those of its definition. */
const ANNOTATIONS: readonly string[] = [
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
];

/** Keywords that depend on the others of their group in the same schema. */
const GROUPS: readonly (readonly string[])[] = [
  ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
  ["prefixItems", "items", "contains", "minContains", "maxContains", "unevaluatedItems"],
  ["if", "then", "else"],
];

/** Merges an `allOf` with one entry into the schema around it, unless that would change the meaning. */
function merged(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  if (!isJsonObject(only)) return schema;
  const has = (part: JsonObject, keys: readonly string[]) => keys.some((key) => Object.hasOwn(part, key));
  const inner = new Map(Object.entries(only));
  const clash = Object.entries(rest).some(
    ([key, value]) => inner.has(key) && !ANNOTATIONS.includes(key) && !isEqualJson(inner.get(key), value),
  );
  const depends = GROUPS.some((keys) => has(only, keys) && has(rest, keys));
  return clash || depends ? schema : { ...only, ...rest };
}

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
