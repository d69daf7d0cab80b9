import type { Json, JsonObject } from "@pawl/core";
import { isRegularExpression } from "@pawl/core/tools";
import { isObject, own } from "../base/json.ts";
import { isVisible } from "../base/visible.ts";

/** How deep a schema may be nested. Deeper parts accept anything. */
const MOST_LEVELS = 24;

/** Keywords with a plain value that all models' APIs accept or ignore, and the values that they may have. */
const PLAIN: ReadonlyMap<string, (value: Json) => boolean> = new Map<string, (value: Json) => boolean>([
  ...["description", "format"].map((name) => [name, isText] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"].map(
    (name) => [name, isNumber] as const,
  ),
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].map((name) => [name, isNumber] as const),
  ["uniqueItems", (value) => typeof value === "boolean"],
  ["default", () => true],
  ["const", () => true],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["pattern", isPattern],
  ["type", isType],
]);

/** The names of fields that models' APIs accept. */
const FIELD = /^(?!__proto__$)[a-zA-Z0-9_.-]{1,64}$/;

/** What the parts of one schema share. */
export interface Part {
  /** The schema's definitions, by name. */
  readonly definitions: ReadonlySet<string>;
  readonly level: number;
}

/**
 * Returns a part of a schema in the form that models' APIs accept: draft 2020-12, local references only, no
 * keywords of other drafts. Returns `undefined` if a required field cannot be offered.
 */
export function cleanPart(schema: Json | undefined, { definitions, level }: Part): JsonObject | undefined {
  if (!isObject(schema) || level > MOST_LEVELS) return {};
  const below = { definitions, level: level + 1 };
  const plain = [...PLAIN].flatMap(([name, fits]): [string, Json][] => {
    const given = own(schema, name);
    // A model would read what nobody sees.
    const value = name === "enum" && Array.isArray(given) ? given.filter(isVisible) : given;
    return value !== undefined && fits(value) && isVisible(value) ? [[name, value]] : [];
  });
  const fields = cleanFields(schema, below);
  const items = cleanItems(schema, below);
  const joined = cleanChoices(schema, below);
  if (fields === undefined || items === undefined || joined === undefined) return undefined;
  const { $ref } = schema;
  const target =
    typeof $ref === "string" ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1] : undefined;
  const isKnown = target !== undefined && definitions.has(target);
  return {
    ...Object.fromEntries(plain),
    ...fields,
    ...items,
    ...joined,
    ...(isKnown && { $ref: `#/$defs/${target}` }),
  };
}

function cleanFields(schema: JsonObject, below: Part): JsonObject | undefined {
  const { properties, required, additionalProperties } = schema;
  if (!isObject(properties) && additionalProperties === undefined) return {};
  const needed = new Set(Array.isArray(required) ? required.filter(isText) : []);
  const fields: [string, JsonObject][] = [];
  for (const [name, part] of Object.entries(isObject(properties) ? properties : {})) {
    const clean = FIELD.test(name) ? cleanPart(part, below) : undefined;
    if (clean !== undefined) fields.push([name, clean]);
    else if (needed.has(name)) return undefined;
  }
  const known = new Set(fields.map(([name]) => name));
  const kept = [...needed].filter((name) => known.has(name));
  const others = isObject(additionalProperties) ? cleanPart(additionalProperties, below) : undefined;
  return {
    ...(isObject(properties) && { properties: Object.fromEntries(fields) }),
    ...(kept.length > 0 && { required: kept }),
    ...(additionalProperties === false && { additionalProperties: false }),
    ...(others !== undefined && { additionalProperties: others }),
  };
}

/** Draft 7 has a list in `items` for what is `prefixItems` now. */
function cleanItems({ items, prefixItems }: JsonObject, below: Part): JsonObject | undefined {
  const list = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : undefined;
  const first = list?.map((part) => cleanPart(part, below));
  const rest = isObject(items) ? cleanPart(items, below) : {};
  if (rest === undefined || first?.includes(undefined)) return undefined;
  return {
    ...(first !== undefined && first.length > 0 && { prefixItems: first as JsonObject[] }),
    ...(isObject(items) && { items: rest }),
  };
}

function cleanChoices(schema: JsonObject, below: Part): JsonObject | undefined {
  let joined: JsonObject = {};
  for (const name of ["anyOf", "oneOf", "allOf"]) {
    const list = own(schema, name);
    if (!Array.isArray(list) || list.length === 0) continue;
    const parts = list.map((part) => cleanPart(part, below));
    // An alternative that cannot be offered is left out.
    const usable = parts.filter((part) => part !== undefined);
    if (usable.length === 0 || (name === "allOf" && usable.length < parts.length)) return undefined;
    const [only, ...others] = usable;
    if (name === "allOf" && others.length === 0) joined = { ...only, ...joined };
    else joined = { ...joined, [name === "oneOf" && joined.anyOf === undefined ? "anyOf" : name]: usable };
  }
  return joined;
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function isNumber(value: Json): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isType(value: Json): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => TYPES.includes(type));
}

const TYPES: readonly Json[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/** The longest regular expression that models are shown, in characters. */
const MOST_PATTERN = 500;

function isPattern(value: Json): boolean {
  return isText(value) && value.length <= MOST_PATTERN && isRegularExpression(value);
}
