import { jsonWithin, MAX_DEPTH } from "./json-depth.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

// An interface has no index signature, so it is no `Json` for the compiler. The two fields exclude what JSON
// would lose: promises, maps and sets have a tag, functions have `call`.
/**
 * An object that an application passes as JSON, also one of an interface. Fields that are `undefined` are
 * left out. At run time, a value that JSON would lose in part is refused.
 */
export type JsonObjectInput =
  | JsonObject
  | (object & { readonly [Symbol.toStringTag]?: never; readonly call?: never });

/** A value that an application passes as JSON, see {@link JsonObjectInput}. */
export type JsonInput = Json | JsonObjectInput;

// A required field of a type with `undefined` also gets `undefined` in the result, because JSON leaves it
// out. An optional field is optional in the result anyway.
/**
 * The type of a value after {@link toJson}: a `Date` is a string, `undefined` is `null`, and fields with
 * functions are gone. A type of JSON values stays the same.
 *
 * @example
 * ```ts compile
 * import type { JsonOf } from "@pawl/core/view";
 *
 * const forecast: JsonOf<{ at: Date; celsius?: number }> = { at: "2026-11-22T08:00:00.000Z" };
 * ```
 */
export type JsonOf<T> = unknown extends T
  ? Json
  : T extends Json
    ? T
    : T extends void
      ? null
      : T extends ((...args: never) => unknown) | symbol
        ? null
        : T extends { toJSON(): infer Value }
          ? JsonOf<Value>
          : T extends readonly unknown[]
            ? { [At in keyof T]: JsonOf<T[At]> }
            : {
                [Key in keyof T as Key extends string
                  ? T[Key] extends ((...args: never) => unknown) | symbol
                    ? never
                    : Key
                  : never]: unknown extends T[Key]
                  ? Json
                  : undefined extends T[Key]
                    ? JsonOf<Exclude<T[Key], undefined>> | (object extends Pick<T, Key> ? never : undefined)
                    : JsonOf<T[Key]>;
              };

/**
 * Converts a value to plain JSON, like `JSON.stringify`: drops `undefined` and functions, and turns dates
 * into strings. Replaces lone surrogates by U+FFFD, because neither models nor databases accept them.
 *
 * @throws TypeError or RangeError for a cycle, a bigint or more than 500 levels.
 *
 * @example
 * ```ts
 * import { toJson } from "@pawl/core";
 *
 * console.log(toJson({ at: new Date(0), note: undefined })); // { at: '1970-01-01T00:00:00.000Z' }
 * ```
 */
export function toJson(value: unknown): Json {
  const copy = literalCopy(value, sendable);
  return copy === undefined ? sendableJson(value, jsonWithin(value, MAX_DEPTH)) : copy;
}

/** Copies strings without lone surrogates, and finished objects as they are. */
const sendable = { text: (part: string) => part.toWellFormed(), done: <T>(part: T) => part };

/** Copies like {@link sendable}, but no numbers that JSON lacks. */
export const lossless: Copying = { ...sendable, finite: true };

/**
 * Converts a value to plain JSON like `toJson()`, but without the limit on depth. Use it for values that are
 * already stored.
 */
export function withoutLoneSurrogates(value: unknown): Json {
  return sendableJson(value, JSON.stringify(value));
}

/**
 * Parses a value's JSON text, with lone surrogates replaced. Returns `null` for a value without JSON text.
 */
function sendableJson(value: unknown, text: string | undefined): Json {
  if (text === undefined) return null;
  return JSON.parse(LONE_SURROGATE.test(text) ? JSON.stringify(value, toWellFormedPart) : text) as Json;
}

// Matches the escape that `JSON.stringify` writes for a lone surrogate. Also matches a text that contains
// such an escape literally, which only takes the slower path.
const LONE_SURROGATE = /\\ud[89a-f]/;

/** A replacer for `JSON.stringify` that replaces lone surrogates. */
function toWellFormedPart(_key: string, part: unknown): unknown {
  return typeof part === "string" ? part.toWellFormed() : part;
}

/**
 * Returns a value as JSON text with sorted object keys, so that equal values have equal text.
 *
 * @example
 * ```ts
 * import { canonicalJson } from "@pawl/core";
 *
 * console.log(canonicalJson({ b: 2, a: 1 })); // {"a":1,"b":2}
 * ```
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part === null || typeof part !== "object" || Array.isArray(part) || isSorted(Object.keys(part))
      ? part
      : Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** Returns whether two values are equal as JSON, whatever the order of their fields. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  return canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}

function isSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1)
    if ((keys[at - 1] as string) > (keys[at] as string)) return false;
  return true;
}

/**
 * Options of `literalCopy()`: how strings are copied, and what is done with each finished object or array.
 */
interface Copying {
  text(part: string): string;
  done<T extends object>(part: T): T;
  /** Whether a value with NaN or an infinity is not copied. Default: they become `null`. */
  finite?: true;
}

/**
 * Copies a plain JSON value about five times faster than `JSON.parse(JSON.stringify(value))`. Returns
 * `undefined` if it cannot copy the value, and the caller then takes the slow path. This is so for more than
 * 100 levels, and if the JSON may differ: for class instances, `toJSON` and a key `__proto__`.
 */
export function literalCopy(value: unknown, copying: Copying): Json | undefined {
  try {
    return partCopy(value, copying, LITERAL_DEPTH);
  } catch {
    return undefined;
  }
}

/** Thrown by {@link partCopy} for a value that it cannot copy. */
const NO_LITERAL = new TypeError("no literal");

/** The most levels that `literalCopy()` copies. The limit also ends the copy of a cycle. */
const LITERAL_DEPTH = 100;

/** Copies a part of a value. Returns `undefined` for `undefined`, which JSON drops. */
function partCopy(value: unknown, copying: Copying, levelsLeft: number): Json | undefined {
  if (typeof value === "string") return copying.text(value);
  if (typeof value === "boolean" || value === undefined) return value;
  if (typeof value === "number") return numberCopy(value, copying);
  if (value === null) return null;
  if (levelsLeft === 0 || typeof (value as { toJSON?: unknown }).toJSON === "function") throw NO_LITERAL;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) {
    const copy: Json[] = [];
    for (const part of value as unknown[]) copy.push(partCopy(part, copying, levelsLeft - 1) ?? null);
    return copying.done(copy);
  }
  if (prototype !== Object.prototype) throw NO_LITERAL;
  const copy: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw NO_LITERAL;
    const part = partCopy((value as { [key: string]: unknown })[key], copying, levelsLeft - 1);
    if (part !== undefined) copy[key] = part;
  }
  return copying.done(copy);
}

// JSON has no negative zero, and writes NaN and infinities as `null`.
function numberCopy(value: number, { finite }: Copying): number | null {
  if (Number.isFinite(value)) return value + 0;
  if (finite) throw NO_LITERAL;
  return null;
}

/** Returns whether a value is an object, neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
