import { PawlError } from "./errors.ts";

/** Returns the error for an invalid argument. */
export function invalidInput(message: string, cause?: unknown): PawlError {
  return new PawlError("invalid_input", message, cause === undefined ? {} : { cause });
}
