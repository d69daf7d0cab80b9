import { PawlError } from "../../src/index.ts";

/** Checks that an error is a `PawlError` with this code. */
export const code = (expected: string) => (error: unknown) => PawlError.is(error) && error.code === expected;
