import type { ApiError } from "../base/api-error.ts";
import { isObject } from "../base/wire-request.ts";
import { type Check, firstError } from "../messages/validate/checks.ts";
import { refused } from "./chat-error.ts";

export const text: Check = (value, path) =>
  typeof value === "string" ? undefined : wrongType("a string", value, path);

export const flag: Check = (value, path) =>
  typeof value === "boolean" ? undefined : wrongType("a boolean", value, path);

export const number: Check = (value, path) =>
  typeof value === "number" ? undefined : wrongType("a decimal", value, path);

export const dictionary: Check = (value, path) =>
  isObject(value) ? undefined : wrongType("an object", value, path);

export function oneOf(...values: string[]): Check {
  const quoted = values.map((value) => `'${value}'`);
  const listed = quoted.length === 1 ? quoted[0] : `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
  return (value, path) => {
    if (typeof value !== "string") return wrongType("a string", value, path);
    return values.includes(value)
      ? undefined
      : refused(`Invalid value: '${value}'. Supported values are: ${listed}.`, path, "invalid_value");
  };
}

export function integer(atLeast: number): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) return wrongType("an integer", value, path);
    return (value as number) >= atLeast
      ? undefined
      : refused(
          `Invalid '${path}': integer below minimum value. Expected a value >= ${atLeast}, but got ${value} instead.`,
          path,
          "integer_below_min_value",
        );
  };
}

export function upTo(length: number, pattern?: RegExp): Check {
  return (value, path) => {
    if (typeof value !== "string") return wrongType("a string", value, path);
    if (value.length > length)
      return refused(
        `Invalid '${path}': string too long. Expected a string with maximum length ${length}, but got a string with length ${value.length} instead.`,
        path,
        "string_above_max_length",
      );
    return pattern === undefined || pattern.test(value)
      ? undefined
      : refused(
          `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`,
          path,
          "invalid_value",
        );
  };
}

/** Returns a check for a list of one to `atMost` items. */
export function listOf(item: Check, atMost: number = Number.POSITIVE_INFINITY): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return wrongType("an array of objects", value, path);
    if (value.length === 0)
      return refused(
        `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        path,
        "empty_array",
      );
    if (value.length > atMost)
      return refused(
        `Invalid '${path}': array too long. Expected an array with maximum length ${atMost}, but got an array with length ${value.length} instead.`,
        path,
        "array_above_max_length",
      );
    return firstError(value, (part, index) => item(part, `${path}[${index}]`));
  };
}

/** Returns a check that accepts `null`, and runs `check` on any other value. */
export function nullable(check: Check): Check {
  return (value, path) => (value === null ? undefined : check(value, path));
}

/**
 * Returns a check for an object with these fields. Refuses missing and unknown fields first, then invalid
 * values.
 */
export function objectWith(
  required: { readonly [field: string]: Check },
  optional: { readonly [field: string]: Check } = {},
): Check {
  const fields = { ...required, ...optional };
  return (value, path) => {
    if (!isObject(value)) return wrongType("an object", value, path);
    return (
      firstError(Object.keys(required), (field) =>
        !Object.hasOwn(value, field) || value[field] === undefined ? missing(`${path}.${field}`) : undefined,
      ) ??
      firstError(Object.keys(value), (field) =>
        Object.hasOwn(fields, field)
          ? undefined
          : refused(`Unknown parameter: '${path}.${field}'.`, `${path}.${field}`, "unknown_parameter"),
      ) ??
      firstError(Object.entries(value), ([field, part]) => fields[field]?.(part, `${path}.${field}`))
    );
  };
}

export function missing(path: string): ApiError {
  return refused(`Missing required parameter: '${path}'.`, path, "missing_required_parameter");
}

export function wrongType(wanted: string, value: unknown, path: string): ApiError {
  return refused(
    `Invalid type for '${path}': expected ${wanted}, but got ${nameOf(value)} instead.`,
    path,
    "invalid_type",
  );
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
