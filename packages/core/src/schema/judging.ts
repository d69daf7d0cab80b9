import type { Schema as Part } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** A mistake in a value: the place, the keyword that the value breaks, and what is wrong. */
export interface Mistake {
  readonly path: readonly string[];
  readonly keyword: string;
  readonly message: string;
}

/** A mistake during a validation. Most are discarded again, so a message may be made only in the end. */
export interface Found extends Omit<Mistake, "message"> {
  readonly message: MessageMaker;
}

/** A message, or a function that makes it. */
export type MessageMaker = string | (() => string);

/** A schema whose references are resolved. */
export interface PreparedSchema {
  readonly root: Part | boolean;
  /** The schemas with a `$ref`, and where it leads; `undefined` if it leads to nothing. */
  readonly targets: ReadonlyMap<object, Json | undefined>;
  /** Whether the schema has `unevaluatedProperties` or `unevaluatedItems`. */
  readonly tracks: boolean;
  /** The regular expressions that were compiled so far. */
  readonly patterns: Map<string, RegExp>;
}

/** The state of a validation. */
export interface ValidationState extends PreparedSchema {
  readonly visit: Visit;
  readonly mistakes: Found[];
  /** The place of the value that is being judged. */
  readonly path: (string | number)[];
  /** How many keywords around the current schema are judged by {@link tentatively}. */
  tentative: number;
  /** How many schemas are around the current one. */
  depth: number;
  /** The steps that are left. */
  left: number;
}

/**
 * Returns whether a value is valid by a schema, and notes its mistakes. If it is valid, adds the fields and
 * indexes that the schema has evaluated to `evaluated`.
 */
export type Visit = (
  state: ValidationState,
  schema: Part | boolean,
  value: unknown,
  evaluated?: Set<string>,
) => boolean;

/** The most levels of schemas that judge a value and its parts, and of values that are compared. */
export const DEEPEST = 1_500;

/** The most mistakes that a validation collects. */
export const MOST_MISTAKES = 10;

/** Thrown to end a validation that has found enough mistakes. */
export class EnoughMistakes extends Error {}

/** Thrown to end a validation that takes more steps than it may. */
export class TooMuchWork extends Error {}

/**
 * Counts the steps of the work that follows. In one step, one schema judges one value; smaller work is a part
 * of a step.
 *
 * @throws TooMuchWork if no steps are left
 */
export function spend(state: ValidationState, steps: number): void {
  state.left -= steps;
  if (state.left < 0) throw new TooMuchWork();
}

/** Notes a mistake of the current value, or of its field `key`. Returns `false`. */
export function wrong(state: ValidationState, keyword: string, message: MessageMaker, key?: string): false {
  if (state.mistakes.length < MOST_MISTAKES) {
    spend(state, state.path.length / 16);
    const path = [...state.path, ...(key === undefined ? [] : [key])].map(String);
    state.mistakes.push({ path, keyword, message });
  } else if (state.tentative === 0) throw new EnoughMistakes();
  return false;
}

/** Judges a part of the current value: a field or an item. */
export function judgePart(
  state: ValidationState,
  schema: Part | boolean,
  key: string | number,
  part: unknown,
): boolean {
  state.path.push(key);
  const fits = state.visit(state, schema, part);
  state.path.pop();
  return fits;
}

/** Runs a part of a validation whose mistakes may be discarded. They do not end the validation. */
export function tentatively<T>(state: ValidationState, work: () => T): T {
  state.tentative += 1;
  const outcome = work();
  state.tentative -= 1;
  return outcome;
}

/**
 * Returns a value as JSON text with sorted fields, so that equal values have equal texts. Counts a step for
 * each part of the value.
 *
 * @throws RangeError for more than {@link DEEPEST} levels
 */
export function canonicalText(state: ValidationState, value: unknown, levelsLeft: number = DEEPEST): string {
  spend(state, 1);
  if (levelsLeft === 0) throw new RangeError();
  if (typeof value === "string") spend(state, value.length / CHARS_A_STEP);
  if (Array.isArray(value))
    return joinedIn(
      state,
      value.map((part) => canonicalText(state, part, levelsLeft - 1)),
      "[]",
    );
  if (!isJsonObject(value as Json)) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value as JsonObject);
  for (const [key] of fields) spend(state, key.length / CHARS_A_STEP);
  const fieldText = ([key, part]: [string, Json]) =>
    `${JSON.stringify(key)}:${canonicalText(state, part, levelsLeft - 1)}`;
  return joinedIn(state, fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(fieldText), "{}");
}

/** Joins texts with commas, between two brackets. Counts the work of copying them. */
function joinedIn(state: ValidationState, texts: string[], [open, close]: string): string {
  spend(state, texts.reduce((length, text) => length + text.length, 0) / CHARS_A_STEP / FASTER);
  return `${open}${texts.join()}${close}`;
}

/** Counts the work of comparing or copying texts of this length. */
export function spendOnEqual(state: ValidationState, length: number): void {
  spend(state, length / CHARS_A_STEP / FASTER);
}

/** How many times faster characters are copied or compared than read. */
const FASTER = 16;

/** How many characters are read in the time of a step. */
export const CHARS_A_STEP = 256;
