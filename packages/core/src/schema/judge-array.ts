import type { Schema as Part } from "@cfworker/json-schema";
import type { Json } from "../base/json.ts";
import {
  canonicalText,
  type Judging,
  judgePart,
  spend,
  spendOnEqual,
  tentatively,
  wrong,
} from "./judging.ts";

/** Judges an array by the keywords for arrays. */
export function judgeArray(at: Judging, schema: Part, value: Json[], seen?: Set<string>): boolean {
  const fits = [
    judgeLength(at, schema, value),
    judgeItems(at, schema, value, seen),
    judgeContains(at, schema, value, seen),
    judgeRest(at, schema, value, seen),
    judgeUnique(at, schema, value),
  ];
  return !fits.includes(false);
}

function judgeLength(at: Judging, { minItems, maxItems }: Part, { length }: Json[]): boolean {
  if (maxItems !== undefined && length > maxItems)
    return wrong(at, "maxItems", `Array has too many items (${length} > ${maxItems}).`);
  if (minItems !== undefined && length < minItems)
    return wrong(at, "minItems", `Array has too few items (${length} < ${minItems}).`);
  return true;
}

/** Judges by `prefixItems` and `items`. A list in `items` is the prefix of older drafts. */
function judgeItems(at: Judging, schema: Part, value: Json[], seen?: Set<string>): boolean {
  const isOlder = Array.isArray(schema.items);
  const prefix = (isOlder ? schema.items : (schema.prefixItems ?? [])) as (Part | boolean)[];
  const rest = (isOlder ? schema.additionalItems : schema.items) as Part | boolean | undefined;
  let fits = true;
  for (const [index, item] of value.entries()) {
    const part = index < prefix.length ? prefix[index] : rest;
    if (part === undefined) break;
    seen?.add(String(index));
    fits = judgePart(at, part, index, item) && fits;
  }
  return fits;
}

function judgeContains(at: Judging, schema: Part, value: Json[], seen?: Set<string>): boolean {
  const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  if (contains === undefined) return true;
  const before = at.mistakes.length;
  let found = 0;
  tentatively(at, () => {
    for (const [index, item] of value.entries()) {
      if (!judgePart(at, contains as Part | boolean, index, item)) continue;
      found += 1;
      seen?.add(String(index));
    }
  });
  at.mistakes.length = before;
  if (found < minContains) {
    const message =
      schema.minContains === undefined
        ? "Array does not contain item matching schema."
        : `Array must contain at least ${minContains} items matching schema. Only ${found} items were found.`;
    return wrong(at, "contains", message);
  }
  if (found <= maxContains) return true;
  const message = `Array may contain at most ${maxContains} items matching schema. ${found} items were found.`;
  return wrong(at, "maxContains", message);
}

/** Judges by `unevaluatedItems`. */
function judgeRest(at: Judging, { unevaluatedItems }: Part, value: Json[], seen?: Set<string>): boolean {
  if (unevaluatedItems === undefined) return true;
  let fits = true;
  for (const [index, item] of value.entries()) {
    spend(at, 1 / 16);
    if (seen?.has(String(index))) continue;
    seen?.add(String(index));
    fits = judgePart(at, unevaluatedItems as Part | boolean, index, item) && fits;
  }
  return fits;
}

// V8 hashes a longer text by its length alone, so a map compares it with all others of that length.
const HASHED = 16_383;

function judgeUnique(at: Judging, { uniqueItems }: Part, value: Json[]): boolean {
  if (uniqueItems !== true) return true;
  const known = new Map<string, number>();
  const alike = new Map<number, number>();
  for (const [index, item] of value.entries()) {
    const text = canonicalText(at, item);
    if (text.length > HASHED) {
      const before = alike.get(text.length) ?? 0;
      alike.set(text.length, before + 1);
      spendOnEqual(at, before * text.length);
    }
    const first = known.get(text);
    if (first !== undefined)
      return wrong(at, "uniqueItems", `Duplicate items at indexes ${first} and ${index}.`);
    known.set(text, index);
  }
  return true;
}
