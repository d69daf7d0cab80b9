import { expect, it } from "vitest";
import { count } from "../scripts/lib/unit-tests.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((status) => ({ status })),
});
const green = {
  success: true,
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 0,
  testResults: [file("passed", "passed", "passed", "pending")],
};
const red = {
  ...green,
  success: false,
  numFailedTests: 1,
  testResults: [...green.testResults, file("failed", "failed")],
};

it("a green run counts its tests", () => {
  expect(count(true, green)).toMatchObject({ ok: true, passed: 2, failed: 0, skipped: 1, output: "" });
  expect(count(true, green, "\n")).toMatchObject({ ok: true, failed: 0 });
});

it("a run without failures that writes to stderr has failed", () => {
  const output = "Every test passed, but the run wrote to stderr:\npawl: lost";
  expect(count(true, green, "pawl: lost\n")).toMatchObject({ ok: false, passed: 2, failed: 1, output });
});

it("what a failed run writes to stderr is no further failure", () => {
  expect(count(false, red, "Error: No.\n")).toMatchObject({ ok: false, passed: 2, failed: 1, output: "" });
});

it("a file that fails before its tests is a failure, and so is a run that fails without one", () => {
  const stillborn = { ...green, success: false, testResults: [...green.testResults, file("failed")] };
  expect(count(false, stillborn)).toMatchObject({ ok: false, failed: 1, output: "" });
  expect(count(false, green)).toMatchObject({ failed: 1, output: expect.stringContaining("no test did") });
  expect(count(false, undefined)).toMatchObject({ failed: 1, output: expect.stringContaining("no report") });
});
