import { type Json, type JsonObject, toJson } from "@pawl/core";
import { withoutHiddenIn } from "@pawl/core/tools";
import { isObject, objectIn } from "../base/json.ts";
import { hasTooManyValues, TOO_MANY_VALUES } from "../base/large-schema.ts";
import { isVisible } from "../base/visible.ts";
import { cleanPart } from "./schema-part.ts";

/** The longest schema of one tool, in characters of JSON. */
const MOST_CHARS = 100_000;

/** A tool's input schema for a model. `note` describes, for the model, what had to be left out. */
export interface ModelSchema {
  schema: JsonObject;
  note: string | undefined;
}

/** Why a tool whose schema has no such form is left out. */
export const NOT_SHOWN = "its schema cannot be shown to a model";

/**
 * Returns a server's input schema in the form that models' APIs accept. If it cannot have this form, returns
 * why: it is too large, or e.g. a required field has a name that they refuse. It may accept more than the
 * original: the server itself checks the input, too.
 */
export function modelSchema(given: unknown): ModelSchema | { why: string } {
  if (hasTooManyValues(given)) return { why: `its schema has ${TOO_MANY_VALUES}` };
  return shownSchema(given) ?? { why: NOT_SHOWN };
}

function shownSchema(given: unknown): ModelSchema | undefined {
  const original = asJson(given);
  if (!isObject(original)) return undefined;
  const named = { ...objectIn(original.definitions), ...objectIn(original.$defs) };
  const definitions = Object.fromEntries(Object.entries(named).filter(([name]) => isVisible(name)));
  const part = { definitions: new Set(Object.keys(definitions)), level: 0 };
  const root = cleanPart(original, part);
  if (root === undefined) return undefined;
  const defs = Object.entries(definitions).map(([name, one]) => [name, cleanPart(one, part) ?? {}] as const);
  const { $ref, anyOf, oneOf, allOf, type: _, ...own } = root;
  const target =
    typeof $ref === "string" ? defs.find(([name]) => $ref === `#/$defs/${name}`)?.[1] : undefined;
  const lists = [anyOf, oneOf, allOf].filter((list) => Array.isArray(list)) as JsonObject[][];
  const fields = [target ?? {}, ...lists.flat()].map((one) => objectIn(one.properties));
  const properties = Object.assign({}, ...fields, objectIn(own.properties));
  const schema: JsonObject = {
    ...target,
    ...own,
    type: "object",
    properties,
    ...(defs.length > 0 && usesReferences(properties, own) && { $defs: Object.fromEntries(defs) }),
  };
  if (JSON.stringify(schema).length > MOST_CHARS) return undefined;
  return { schema, note: lists.length === 0 ? undefined : noteOf(lists) };
}

/** The longest description of alternatives, in characters. */
const MOST_NOTE_CHARS = 2_000;

// The Messages API refuses alternatives at the root of a schema.
function noteOf(lists: readonly JsonObject[][]): string | undefined {
  const text = JSON.stringify(lists.length === 1 ? lists[0] : lists);
  return text.length > MOST_NOTE_CHARS ? undefined : `The input must match one of these schemas: ${text}`;
}

function usesReferences(...parts: readonly Json[]): boolean {
  return JSON.stringify(parts).includes('"$ref"');
}

function asJson(value: unknown): Json | undefined {
  try {
    return withoutHiddenIn(toJson(value));
  } catch {
    return undefined;
  }
}
