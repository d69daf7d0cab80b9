import { deepStrictEqual } from "node:assert/strict";

/** Asserts that two JSON values are the same, with words about what they are. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [actual, expected].map((value) => JSON.parse(JSON.stringify(value ?? null)));
  try {
    deepStrictEqual(one, other);
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
}
