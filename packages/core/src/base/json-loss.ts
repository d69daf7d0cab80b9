import { invalidInput } from "./invalid-input.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "./json.ts";
import { MAX_DEPTH } from "./json-depth.ts";

/** How many characters of the path to a value that is nested too deep are shown. */
const PATH_CHARS = 40;

/**
 * Returns where JSON would lose a part of a value without notice, and what is there, e.g. `caller.roles is a
 * Set`. Returns `undefined` for JSON, for values with `toJSON` (a `Date` becomes a string), and for fields
 * that are `undefined`, which JSON leaves out.
 */
export function jsonLoss(value: unknown, path: string): string | undefined {
  return lossIn(value, path, MAX_DEPTH);
}

function lossIn(value: unknown, path: string, left: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object")
    return `${path} is ${value === undefined ? "undefined" : `a ${typeof value}`}`;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  if (left === 0) return `${path.slice(0, PATH_CHARS)}… is nested too deep, or contains itself`;
  if (Array.isArray(value)) return firstOf(value.entries(), (at) => `${path}[${at}]`, left);
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object literal of any realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return `${path} is ${instance(value)}`;
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  return firstOf(fields, (name) => `${path}.${name}`, left);
}

function firstOf(
  parts: Iterable<[number | string, unknown]>,
  pathOf: (key: number | string) => string,
  left: number,
): string | undefined {
  for (const [key, part] of parts) {
    const found = lossIn(part, pathOf(key), left - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function instance(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an instance of a class";
}

/**
 * Returns a value of the application as JSON.
 *
 * @param what the value's place in the application's code, for the message, e.g. `params`
 * @throws PawlError `invalid_input` if JSON would lose a part of it. The message shows types, never values.
 */
export function storableJson(value: unknown, what: string): Json {
  const lost = jsonLoss(value, what);
  if (lost !== undefined) throw invalidInput(`\`${what}\` must be a value that JSON can represent; ${lost}.`);
  return toJson(value);
}

/** Returns an object of the application as JSON, like {@link storableJson}. */
export function storableObject(value: unknown, what: string): JsonObject {
  const lost = jsonLoss(value, what);
  const json = lost === undefined ? toJson(value) : undefined;
  if (isJsonObject(json)) return json;
  const why = lost === undefined ? "" : `; ${lost}`;
  throw invalidInput(`\`${what}\` must be an object that JSON can represent${why}.`);
}
