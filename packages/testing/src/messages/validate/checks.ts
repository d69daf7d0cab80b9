import { type ApiError, invalid } from "../../base/api-error.ts";
import { shown } from "../../base/shown.ts";
import { isObject } from "../../base/wire-request.ts";

/**
 * A function that checks one value and returns the API's error, if there is one. `path` is the value's place
 * in the request, for the error's message.
 */
export type Check = (value: unknown, path: string) => ApiError | undefined;

/** Returns the first error that `check` finds among `items`. */
export function firstError<T>(
  items: Iterable<T>,
  check: (item: T, index: number) => ApiError | undefined,
): ApiError | undefined {
  let index = 0;
  for (const item of items) {
    const error = check(item, index);
    if (error !== undefined) return error;
    index += 1;
  }
  return undefined;
}

export const anything: Check = () => undefined;

export const text: Check = (value, path) =>
  typeof value === "string" ? undefined : invalid(`${path}: Input should be a valid string`);

export const flag: Check = (value, path) =>
  typeof value === "boolean" ? undefined : invalid(`${path}: Input should be a valid boolean`);

export const dictionary: Check = (value, path) =>
  isObject(value) ? undefined : invalid(`${path}: Input should be a valid dictionary`);

export function integer(atLeast: number): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) return invalid(`${path}: Input should be a valid integer`);
    return (value as number) < atLeast
      ? invalid(`${path}: Input should be greater than or equal to ${atLeast}`)
      : undefined;
  };
}

export function oneOf(...values: string[]): Check {
  const quoted = values.map((value) => `'${value}'`);
  const listed = quoted.length === 1 ? quoted[0] : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return (value, path) =>
    values.includes(value as string) ? undefined : invalid(`${path}: Input should be ${listed}`);
}

export function pattern(expression: RegExp): Check {
  return (value, path) =>
    text(value, path) ??
    (expression.test(value as string)
      ? undefined
      : invalid(`${path}: String should match pattern '${expression.source}'`));
}

export function listOf(item: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? firstError(value, (part, index) => item(part, `${path}.${index}`))
      : invalid(`${path}: Input should be a valid list`);
}

/** Returns a check that accepts `null` and a missing value, and runs `check` on any other. */
export function nullable(check: Check): Check {
  return (value, path) => (value === null || value === undefined ? undefined : check(value, path));
}

/** The fields that an object may have, each with a check of its value. */
export interface Fields {
  readonly required?: { readonly [field: string]: Check };
  readonly optional?: { readonly [field: string]: Check };
}

/**
 * Returns a check for an object with these fields. Refuses missing and unknown fields first, then invalid
 * values.
 */
export function objectWith({ required = {}, optional = {} }: Fields): Check {
  const fields = { ...required, ...optional };
  return (value, path) => {
    if (!isObject(value))
      return invalid(`${path}: Input should be a valid dictionary or object to extract fields from`);
    const at = (field: string): string => (path === "" ? field : `${path}.${field}`);
    return (
      firstError(Object.keys(required), (field) =>
        Object.hasOwn(value, field) ? undefined : invalid(`${at(field)}: Field required`),
      ) ??
      firstError(Object.keys(value), (field) =>
        Object.hasOwn(fields, field) ? undefined : invalid(`${at(field)}: Extra inputs are not permitted`),
      ) ??
      firstError(Object.entries(value), ([field, part]) => fields[field]?.(part, at(field)))
    );
  };
}

/** Returns a check for an object whose `type` decides which fields it may have. */
export function taggedBy(variants: { readonly [type: string]: Check }): Check {
  const tags = Object.keys(variants)
    .map((tag) => `'${tag}'`)
    .join(", ");
  return (value, path) => {
    if (!isObject(value)) return invalid(`${path}: Input should be a valid dictionary`);
    if (value.type === undefined) return invalid(`${path}.type: Field required`);
    const type = shown(value.type);
    const variant = Object.hasOwn(variants, type) ? variants[type] : undefined;
    return variant === undefined
      ? invalid(
          `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
        )
      : variant(value, path === "" ? type : `${path}.${type}`);
  };
}
