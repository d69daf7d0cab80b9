import type { Schema as Part } from "@cfworker/json-schema";
import type { Json } from "../base/json.ts";
import {
  canonicalText,
  judgePart,
  spend,
  spendOnEqual,
  tentatively,
  type ValidationState,
  wrong,
} from "./judging.ts";

/** Returns whether an array is valid by the keywords for arrays. Notes its mistakes. */
export function judgeArray(
  state: ValidationState,
  schema: Part,
  value: Json[],
  evaluated?: Set<string>,
): boolean {
  const fits = [
    judgeLength(state, schema, value),
    judgeItems(state, schema, value, evaluated),
    judgeContains(state, schema, value, evaluated),
    judgeUnevaluatedItems(state, schema, value, evaluated),
    judgeUnique(state, schema, value),
  ];
  return !fits.includes(false);
}

function judgeLength(state: ValidationState, { minItems, maxItems }: Part, { length }: Json[]): boolean {
  if (maxItems !== undefined && length > maxItems)
    return wrong(state, "maxItems", `Array has too many items (${length} > ${maxItems}).`);
  if (minItems !== undefined && length < minItems)
    return wrong(state, "minItems", `Array has too few items (${length} < ${minItems}).`);
  return true;
}

/** Judges by `prefixItems` and `items`. Older drafts have `items` and `additionalItems` for these. */
function judgeItems(state: ValidationState, schema: Part, value: Json[], evaluated?: Set<string>): boolean {
  const isOlderDraft = Array.isArray(schema.items);
  const prefix = (isOlderDraft ? schema.items : (schema.prefixItems ?? [])) as (Part | boolean)[];
  const rest = (isOlderDraft ? schema.additionalItems : schema.items) as Part | boolean | undefined;
  let fits = true;
  for (const [index, item] of value.entries()) {
    const part = index < prefix.length ? prefix[index] : rest;
    if (part === undefined) break;
    evaluated?.add(String(index));
    fits = judgePart(state, part, index, item) && fits;
  }
  return fits;
}

/** Judges by `contains`, `minContains` and `maxContains`. */
function judgeContains(
  state: ValidationState,
  schema: Part,
  value: Json[],
  evaluated?: Set<string>,
): boolean {
  const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  if (contains === undefined) return true;
  const mistakesBefore = state.mistakes.length;
  let found = 0;
  tentatively(state, () => {
    for (const [index, item] of value.entries()) {
      if (!judgePart(state, contains as Part | boolean, index, item)) continue;
      found += 1;
      evaluated?.add(String(index));
    }
  });
  // An item that does not match is no mistake.
  state.mistakes.length = mistakesBefore;
  if (found < minContains) {
    const message =
      schema.minContains === undefined
        ? "Array does not contain item matching schema."
        : `Array must contain at least ${minContains} items matching schema. Only ${found} items were found.`;
    return wrong(state, "contains", message);
  }
  if (found <= maxContains) return true;
  const message = `Array may contain at most ${maxContains} items matching schema. ${found} items were found.`;
  return wrong(state, "maxContains", message);
}

/** Judges by `unevaluatedItems`. */
function judgeUnevaluatedItems(
  state: ValidationState,
  { unevaluatedItems }: Part,
  value: Json[],
  evaluated?: Set<string>,
): boolean {
  if (unevaluatedItems === undefined) return true;
  let fits = true;
  for (const [index, item] of value.entries()) {
    spend(state, 1 / 16);
    if (evaluated?.has(String(index))) continue;
    evaluated?.add(String(index));
    fits = judgePart(state, unevaluatedItems as Part | boolean, index, item) && fits;
  }
  return fits;
}

// V8 hashes a text that is longer than this by its length alone. A map then compares it with all others of
// that length.
const HASHED = 16_383;

/** Judges by `uniqueItems`. */
function judgeUnique(state: ValidationState, { uniqueItems }: Part, value: Json[]): boolean {
  if (uniqueItems !== true) return true;
  /** By the text of an item: its index. */
  const indexes = new Map<string, number>();
  /** By length: the number of long texts. */
  const longTexts = new Map<number, number>();
  for (const [index, item] of value.entries()) {
    const text = canonicalText(state, item);
    if (text.length > HASHED) {
      const sameLength = longTexts.get(text.length) ?? 0;
      longTexts.set(text.length, sameLength + 1);
      spendOnEqual(state, sameLength * text.length);
    }
    const first = indexes.get(text);
    if (first !== undefined)
      return wrong(state, "uniqueItems", `Duplicate items at indexes ${first} and ${index}.`);
    indexes.set(text, index);
  }
  return true;
}
