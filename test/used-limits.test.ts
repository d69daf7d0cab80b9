import { expect, test } from "vitest";
import { findLooseLimits, usesLimits } from "../scripts/lib/used-limits.mjs";

const found = (text: string) =>
  findLooseLimits(new Map([["test/a.test.ts", text]]), { size: 12, calls: 2 }).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );

test.each([
  "expect(kB).toBeLessThanOrEqual(LIMITS.size); expect(n).toBe(LIMITS.calls);",
  "const rows = [LIMITS.size, LIMITS.calls];",
  "expect(n).toBe(LIMITS.size + LIMITS.calls);",
  "expect(n / 4).toBeLessThan(LIMITS.size); if (n > LIMITS.calls) fail();",
])("a limit may be compared as it is, or added to another one: %s", (text) => {
  expect(found(text)).toEqual([]);
});

test.each([
  "LIMITS.size * 2",
  "2 * LIMITS.size",
  "(LIMITS.size as number) + 1",
  "Math.max(LIMITS.size, 20)",
  "-LIMITS.size",
  "LIMITS.size + LIMITS.calls * 2",
  "(LIMITS.size + LIMITS.calls) * 2",
])("a test that changes a limit is reported: %s", (changed) => {
  const [problem, ...others] = found(`\nexpect(n).toBeLessThan(${changed}); use(LIMITS.size, LIMITS.calls);`);
  expect(problem).toMatch(/^test\/a\.test\.ts:2: changes the limit `(size|calls)` of scripts/);
  expect(others.filter((one) => !one.includes("changes"))).toEqual([]);
});

test("a limit that no test uses is reported: the test has a number of its own", () => {
  expect(found("expect(kB).toBeLessThan(15); expect(n).toBe(LIMITS.calls);")).toEqual([
    "scripts/lib/limits.mjs:1: no test uses the limit `size`",
  ]);
});

test("tests and checks use limits; the files about limits do not", () => {
  const paths = ["test/a.test.ts", "examples/a/test/a.test.tsx", "scripts/check-doors.mjs"];
  expect(paths.filter(usesLimits)).toEqual(paths);
  const others = ["scripts/lib/limits.mjs", "test/used-limits.test.ts", "packages/a/src/a.ts"];
  expect(others.filter(usesLimits)).toEqual([]);
});
