import { invalidInput } from "./invalid-input.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "./json.ts";
import { MAX_DEPTH } from "./json-depth.ts";

/** How many characters of a path are shown if its value is nested too deep. */
const PATH_CHARS = 40;

/**
 * Describes the first part of a value that JSON would silently lose, e.g. `caller.roles is an instance of
 * Set`. Returns `undefined` if JSON loses nothing. Accepts values with `toJSON` (a `Date` becomes a string)
 * and fields that are `undefined`, which JSON leaves out.
 */
export function jsonLoss(value: unknown, path: string): string | undefined {
  return lossIn(value, path, MAX_DEPTH);
}

function lossIn(value: unknown, path: string, levelsLeft: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object")
    return `${path} is ${value === undefined ? "undefined" : `a ${typeof value}`}`;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  if (levelsLeft === 0) return nestedTooDeep(path);
  const inPart = (part: unknown, at: string) => lossIn(part, at, levelsLeft - 1);
  if (Array.isArray(value)) return firstLoss(value.entries(), (index) => `${path}[${index}]`, inPart);
  if (!isLiteral(value)) return `${path} is ${instanceName(value)}`;
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  return firstLoss(fields, (name) => `${path}.${name}`, inPart);
}

/** Describes the value at a path that is nested too deep. */
export function nestedTooDeep(path: string): string {
  return `${path.slice(0, PATH_CHARS)}… is nested too deep, or contains itself`;
}

/** Returns whether an object is made by a literal, and not an instance of a class. */
export function isLiteral(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // In every realm, the prototype of an object literal has no prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the first loss that `inPart` finds in these parts. */
export function firstLoss(
  parts: Iterable<[number | string, unknown]>,
  pathOf: (key: number | string) => string,
  inPart: (part: unknown, path: string) => string | undefined,
): string | undefined {
  for (const [key, part] of parts) {
    const found = inPart(part, pathOf(key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Describes the class of an object. */
export function instanceName(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an instance of a class";
}

/**
 * Returns a value of the application as JSON.
 *
 * @param name the value's name in the application's code, for the message, e.g. `params`
 * @throws PawlError `invalid_input` if JSON would lose a part of it. The message shows types, never values.
 */
export function storableJson(value: unknown, name: string): Json {
  const loss = jsonLoss(value, name);
  if (loss !== undefined) throw invalidInput(`\`${name}\` must be a value that JSON can represent; ${loss}.`);
  return toJson(value);
}

/**
 * Returns an object of the application as JSON, like {@link storableJson}.
 *
 * @throws PawlError `invalid_input`, also for a value that is no object
 */
export function storableObject(value: unknown, name: string): JsonObject {
  const loss = jsonLoss(value, name);
  const json = loss === undefined ? toJson(value) : undefined;
  if (isJsonObject(json)) return json;
  const why = loss === undefined ? "" : `; ${loss}`;
  throw invalidInput(`\`${name}\` must be an object that JSON can represent${why}.`);
}
