import type { Schema as Part } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** A mistake in a value: the place, the keyword that the value breaks, and what is wrong. */
export interface Mistake {
  readonly path: readonly string[];
  readonly keyword: string;
  readonly message: string;
}

/** A mistake that was found. Most are forgotten again, so their messages are made in the end. */
export interface Found extends Omit<Mistake, "message"> {
  readonly message: MessageMaker;
}

/** A message, or what makes it if that takes time. */
export type MessageMaker = string | (() => string);

/** A schema whose references are resolved. */
export interface PreparedSchema {
  readonly root: Part | boolean;
  /** The schemas with a `$ref`, and where it leads; `undefined` if it leads to nothing. */
  readonly targets: ReadonlyMap<object, Json | undefined>;
  /** Whether the schema asks which parts of a value other keywords have seen. */
  readonly tracks: boolean;
  readonly patterns: Map<string, RegExp>;
}

/** A validation that is in progress. */
export interface Judging extends PreparedSchema {
  readonly visit: Visit;
  readonly mistakes: Found[];
  /** The place of the value that is being judged. */
  readonly path: (string | number)[];
  /** The number of keywords around this one whose schemas may fail, e.g. `anyOf`. */
  tentative: number;
  /** The number of schemas around this one. */
  depth: number;
  /** The steps that are left. */
  left: number;
}

/** Judges a value by a schema. Adds the parts of the value that the schema has seen to `seen`. */
export type Visit = (at: Judging, schema: Part | boolean, value: unknown, seen?: Set<string>) => boolean;

/** The most schemas inside each other that judge one value and its parts, and the most levels of a value. */
export const DEEPEST = 1_500;

/** The most mistakes that a validation looks for. */
export const MOST_MISTAKES = 10;

/** Ends a validation that has found enough mistakes. */
export class Enough extends Error {}

/** Ends a validation that costs more steps than it may. */
export class TooMuchWork extends Error {}

/** Counts the work that comes next. One step is about one schema that judges one value. */
export function spend(at: Judging, steps: number): void {
  at.left -= steps;
  if (at.left < 0) throw new TooMuchWork();
}

/** Notes a mistake, and returns `false`. `key` is the name of a field at this place that is meant. */
export function wrong(at: Judging, keyword: string, message: MessageMaker, key?: string): false {
  if (at.mistakes.length < MOST_MISTAKES) {
    spend(at, at.path.length / 16);
    const path = [...at.path, ...(key === undefined ? [] : [key])].map(String);
    at.mistakes.push({ path, keyword, message });
  } else if (at.tentative === 0) throw new Enough();
  return false;
}

/** Judges a part of a value. */
export function judgePart(at: Judging, schema: Part | boolean, key: string | number, part: unknown): boolean {
  at.path.push(key);
  const fits = at.visit(at, schema, part);
  at.path.pop();
  return fits;
}

/** Runs a part of a validation whose mistakes may not count, so that they do not end it. */
export function tentatively<T>(at: Judging, work: () => T): T {
  at.tentative += 1;
  const outcome = work();
  at.tentative -= 1;
  return outcome;
}

/**
 * Returns a value as text with sorted fields. Equal values have equal texts. Counts its parts as steps.
 *
 * @throws RangeError for more than {@link DEEPEST} levels
 */
export function canonicalText(at: Judging, value: unknown, left: number = DEEPEST): string {
  spend(at, 1);
  if (left === 0) throw new RangeError();
  if (typeof value === "string") spend(at, value.length / CHARS_A_STEP);
  if (Array.isArray(value))
    return joinedIn(
      at,
      value.map((part) => canonicalText(at, part, left - 1)),
      "[]",
    );
  if (!isJsonObject(value as Json)) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value as JsonObject);
  for (const [key] of fields) spend(at, key.length / CHARS_A_STEP);
  const text = ([key, part]: [string, Json]) => `${JSON.stringify(key)}:${canonicalText(at, part, left - 1)}`;
  return joinedIn(at, fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(text), "{}");
}

/** Joins texts in brackets. Each level of a value copies the texts inside it. */
function joinedIn(at: Judging, texts: string[], [open, close]: string): string {
  spend(at, texts.reduce((length, text) => length + text.length, 0) / CHARS_A_STEP / FASTER);
  return `${open}${texts.join()}${close}`;
}

/** Notes that two texts of this length are compared or copied. */
export function spendOnEqual(at: Judging, length: number): void {
  spend(at, length / CHARS_A_STEP / FASTER);
}

/** How much faster characters are copied or compared than read. */
const FASTER = 16;

/** How many characters are read in the time of a step. */
export const CHARS_A_STEP = 256;
