import { PawlError } from "../../src/index.ts";

/** Checks that an error is a `PawlError` with this code, and that its message contains `words`. */
export const code =
  (expected: PawlError["code"], words = "") =>
  (error: unknown): boolean =>
    PawlError.is(error, expected) && error.message.includes(words);
