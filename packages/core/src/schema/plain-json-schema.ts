import { isEqualJson, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { schemasIn, withSubschemas } from "./subschemas.ts";

/**
 * Simplifies a JSON Schema without changing which values it accepts, for APIs and libraries that support only
 * a part of JSON Schema.
 *
 * - Removes `title`, `$schema` and `$comment`. Properties with these names stay.
 * - Puts definitions in `$defs` and `definitions` in the place of each `$ref` to them. A `$ref` stays if its
 *   definition contains itself, if there are more than 200 definitions, or if the schema would grow beyond
 *   10,000 parts.
 * - Merges an `allOf` with one entry into the schema around it.
 *
 * Only the first rule applies if the schema has anchors, `$id`s inside it, or references to other places than
 * definitions. After the other changes, such references could lead elsewhere.
 *
 * @param pointer the place of the schema in a document, as a JSON Pointer, e.g. `#/components/schemas/Rank`.
 * The references that stay then lead there. Default: the schema is the whole document.
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
export function plainJsonSchema(schema: JsonObject, pointer = "#"): JsonObject {
  const canMove =
    !hasAnchors(schema) && referencesIn(schema).every((ref) => definitionOf(schema, ref) !== undefined);
  const plain = (canMove ? inlined(schema) : undefined) ?? untitled(schema);
  return pointer === "#" ? plain : movedTo(plain, pointer);
}

/** The most parts of an inlined schema. A definition that refers twice to another one doubles its size. */
const MOST_PARTS = 10_000;

/** The most definitions of a schema that is inlined. */
const MOST_DEFINITIONS = 200;

/** Keywords that are removed. */
const NOISE: readonly string[] = ["title", "$schema", "$comment"];

/** Removes {@link NOISE} from a schema and the schemas inside it. */
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
 * Replaces each reference by its definition, unless that is recursive. Returns `undefined` if the schema has
 * too many definitions or would grow too large.
 */
function inlined(root: JsonObject): JsonObject | undefined {
  const { $defs: _, definitions: __, $id: ___, ...own } = root;
  const recursive = recursiveReferences(root, MOST_DEFINITIONS);
  if (recursive === undefined) return undefined;
  let partsLeft = MOST_PARTS;
  const inline = (part: Json): Json => {
    partsLeft -= 1;
    return isJsonObject(part) && partsLeft >= 0 ? inlineObject(part, recursive) : part;
  };
  const inlineObject = (part: JsonObject, keptReferences: ReadonlySet<string>): JsonObject => {
    const { $ref, ...beside } = withSubschemas(withoutNoise(part), inline);
    if (typeof $ref !== "string") return merged(beside);
    if (keptReferences.has($ref)) return { $ref, ...beside };
    const { allOf = [] } = beside;
    return merged({ ...beside, allOf: [inline(definitionOf(root, $ref) as Json), ...(allOf as Json[])] });
  };
  // The API requires `type` at the root, so a reference there is replaced even if it is recursive.
  const whole = inlineObject(own, new Set());
  const definitions = new Map<string, Json>();
  /** Adds the definitions that the references left in a part need. */
  const addDefinitionsFor = (part: Json): void => {
    for (const ref of referencesIn(part) as string[]) {
      if (definitions.has(ref)) continue;
      const definition = inline(definitionOf(root, ref) as Json);
      definitions.set(ref, definition);
      addDefinitionsFor(definition);
    }
  };
  addDefinitionsFor(whole);
  return partsLeft < 0 ? undefined : withDefinitions(whole, definitions);
}

/** Keywords that only describe a value. Those beside a reference override those of its definition. */
const ANNOTATIONS: readonly string[] = [
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
];

/** Groups of keywords that depend on each other in the same schema. */
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

/** Returns the keyword and the name that a `$ref` to a definition has; `undefined` for any other value. */
function placeOfReference(ref: Json | undefined): { place: string; name: string } | undefined {
  const [, place, name] = (typeof ref === "string" ? DEFINITION.exec(ref) : null) ?? [];
  return place === undefined || name === undefined ? undefined : { place, name: unescaped(name) };
}

/** Decodes a name in a JSON Pointer that is the fragment of a URL. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

/**
 * Returns the definition that a `$ref` leads to. Returns `undefined` if it does not lead into the `$defs` or
 * `definitions` of the whole schema.
 */
export function definitionOf(root: JsonObject, ref: Json | undefined): Json | undefined {
  const { place = "", name = "" } = placeOfReference(ref) ?? {};
  const definitions = Object.hasOwn(root, place) ? root[place] : undefined;
  return isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/**
 * Adds definitions to a schema. Each goes into `$defs` or `definitions`, as the `$ref` that is its key says.
 */
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
  const waiting = [definitionReferencesIn(root, root)];
  for (const refs of waiting) {
    for (const ref of refs) {
      if (direct.has(ref)) continue;
      if (direct.size === most) return undefined;
      const next = definitionReferencesIn(root, definitionOf(root, ref) as Json);
      direct.set(ref, next);
      waiting.push(next);
    }
  }
  return new Set([...direct.keys()].filter((ref) => leadsTo(direct, ref, ref)));
}

/** Returns the references in a part of a schema that lead to definitions. */
function definitionReferencesIn(root: JsonObject, part: Json): ReadonlySet<string> {
  return new Set(referencesIn(part).filter((ref) => definitionOf(root, ref) !== undefined) as string[]);
}

/**
 * Returns whether the reference `to` is reached from `from`. `direct` has the references in each definition.
 */
function leadsTo(direct: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const found = new Set(direct.get(from));
  // The loop also visits the references that it adds.
  for (const ref of found) for (const next of direct.get(ref) ?? []) found.add(next);
  return found.has(to);
}

/** Returns a copy of a schema for this place in a document. Its references lead to that place. */
export function movedTo(schema: JsonObject, place: string): JsonObject {
  const copy = structuredClone(schema);
  for (const part of schemasIn(copy)) {
    const { $ref } = part;
    if (typeof $ref === "string" && /^#(\/|$)/.test($ref)) part.$ref = place + $ref.slice(1);
  }
  return copy;
}
