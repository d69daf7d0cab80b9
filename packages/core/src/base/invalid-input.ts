import { kindOf } from "./check-options.ts";
import { PawlError } from "./errors.ts";

/** Returns the error for an invalid argument. */
export function invalidInput(message: string, cause?: unknown): PawlError {
  return new PawlError("invalid_input", message, cause === undefined ? {} : { cause });
}

/**
 * Describes a value for messages that must not show it: the names of an object's fields, e.g. `{ tool, input
 * }`, or else its type in words.
 */
export function shapeOf(value: unknown): string {
  const kind = kindOf(value);
  if (kind !== "an object") return kind;
  const names = Object.keys(value as object);
  const more = names.length > 5 ? ", …" : "";
  return `{ ${names.slice(0, 5).join(", ")}${more} }`;
}
