import { PawlError } from "../base/errors.ts";
import { excessOf, type JsonBounds } from "../base/excess.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { checkedJudge, schemaJudgedBy } from "./json-schema.ts";
import { MOST_STEPS } from "./judge.ts";
import type { PreparedSchema } from "./judging.ts";
import { refuseLongNames } from "./long-names.ts";
import type { Schema } from "./schema.ts";
import { directSubschemas, schemasIn, withSubschemas } from "./subschemas.ts";
import { withoutHiddenIn } from "./visible-texts.ts";

/**
 * Makes a schema from JSON Schema of another server, like `jsonSchema()`. It describes itself with all
 * keywords, without hidden characters in titles and descriptions. The work of a validation is bounded:
 *
 * - A validation takes at most 50,000 steps; a step is about one schema that judges one value. A value that
 *   needs more is invalid.
 * - It uses no regular expressions, because one can take forever for some text, and does not check `format`.
 *   The server checks both itself. A validation accepts all values that the schema accepts. It also accepts
 *   some that break `pattern`, `patternProperties` or `format`, or keywords that depend on these.
 *
 * @throws PawlError `config` if the schema is not an object, has more than 100 levels or 20,000 values, or a
 * name, an `$id` or a `$ref` of more than 1,000 characters. `tool()` and `toJsonSchema()` find other mistakes
 * in the schema.
 *
 * @example
 * ```ts
 * import { validate } from "@pawl/core";
 * import { untrustedSchema } from "@pawl/core/tools";
 *
 * const at = { type: "string", pattern: "^(a+)+$", maxLength: 100 };
 * const schema = untrustedSchema({ type: "object", properties: { at } });
 * console.log((await validate(schema, { at: `${"a".repeat(50)}!` })).ok); // true
 * console.log((await validate(schema, { at: 5 })).ok); // false
 * ```
 */
export function untrustedSchema(schema: JsonObject): Schema<JsonObject> {
  if (!isJsonObject(schema)) return schemaJudgedBy(schema, checkedJudge(schema), MOST_STEPS);
  const excess = excessOf(schema, SCHEMA_BOUNDS);
  if (excess !== undefined)
    throw new PawlError(
      "config",
      `A JSON Schema of a server may have at most ${SCHEMA_BOUNDS[excess]} ${excess}.`,
    );
  refuseLongNames(schema);
  const parts = schemasIn(schema);
  return schemaJudgedBy(
    withoutHiddenIn(schema),
    withLostParts(checkedJudge(loosened(schema, parts))),
    MOST_STEPS,
  );
}

/**
 * Lets a `$ref` accept all values if its target was removed or moved. A `$ref` that was broken from the start
 * would do so, too, but `tool()` refuses it.
 */
function withLostParts(judge: PreparedSchema): PreparedSchema {
  const targets = new Map([...judge.targets].map(([part, target]) => [part, target ?? true]));
  return { ...judge, targets };
}

/** The most levels and values of a schema of another server. */
const SCHEMA_BOUNDS: JsonBounds = { levels: 100, values: 20_000 };

/** Keywords that are not evaluated. */
const LEFT_OUT: readonly string[] = ["pattern", "format", "patternProperties"];

/** Keywords for the fields or items that no other keyword has evaluated. */
const UNEVALUATED: readonly string[] = ["unevaluatedProperties", "unevaluatedItems"];

/**
 * Removes the keywords that are not evaluated. The schema then accepts at least the values that it accepted
 * before: a keyword that accepts fewer values when the schema in it accepts more is removed, too.
 */
function loosened(root: JsonObject, parts: readonly JsonObject[]): JsonObject {
  if (!parts.some((part) => LEFT_OUT.some((key) => Object.hasOwn(part, key)))) return root;
  // Fields that a removed keyword had evaluated would count as unevaluated.
  const evaluatesLess = parts.some((part) =>
    ["patternProperties", "if"].some((key) => Object.hasOwn(part, key)),
  );
  const lost = evaluatesLess ? [...LEFT_OUT, ...UNEVALUATED] : LEFT_OUT;
  const isLoose = looseParts(parts, lost);
  const loosen = (part: Json): Json => {
    if (!isJsonObject(part)) return part;
    const removed = new Set([...lost, ...lostIn(part, isLoose)]);
    const kept = Object.entries(part).filter(([key]) => !removed.has(key));
    const copy = withSubschemas(Object.fromEntries(kept), loosen);
    return schemaList(part.oneOf).some(isLoose) ? asAnyOf(copy) : copy;
  };
  return loosen(root) as JsonObject;
}

/** Returns the keywords that a schema loses because a keyword beside them, or in their schema, is removed. */
function lostIn(part: JsonObject, isLoose: (part: Json | undefined) => boolean): string[] {
  return [
    ...(Object.hasOwn(part, "patternProperties") ? ["additionalProperties"] : []),
    ...(isLoose(part.not) ? ["not"] : []),
    ...(isLoose(part.if) ? ["if", "then", "else"] : []),
    ...(isLoose(part.contains) ? ["maxContains"] : []),
  ];
}

/** Replaces `oneOf` by `anyOf`, because several of its loosened schemas may accept the same value. */
function asAnyOf({ oneOf, ...rest }: JsonObject): JsonObject {
  return { ...rest, allOf: [...schemaList(rest.allOf), { anyOf: oneOf as Json }] };
}

const schemaList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/**
 * Returns a function that tells whether a part of a schema may accept more values than before. It may if it,
 * or a schema inside it, loses a keyword or has a reference.
 */
function looseParts(
  parts: readonly JsonObject[],
  lost: readonly string[],
): (part: Json | undefined) => boolean {
  const loose = new Set<unknown>();
  // From the innermost parts outwards, because each part comes before those inside it.
  for (const part of parts.toReversed()) {
    const losesKeyword = [...lost, "$ref"].some((key) => Object.hasOwn(part, key));
    if (losesKeyword || directSubschemas(part).some((one) => loose.has(one))) loose.add(part);
  }
  return (part) => loose.has(part);
}
