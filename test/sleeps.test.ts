import { expect, test } from "vitest";
import { findSleeps } from "../scripts/lib/sleeps.mjs";

const found = (text: string, file = "test/a.test.ts") => findSleeps(file, text).map(({ line }) => line);

test.each([
  'import { setTimeout } from "node:timers/promises";',
  'import { setTimeout as sleep } from "timers/promises";',
  "await new Promise((resolve) => setTimeout(resolve, 50));",
  "await new Promise<void>((done) => void setTimeout(done, 50));",
  "const sleep = (ms: number) => new Promise(\n  (resolve) => setTimeout(resolve, ms),\n);",
  'import * as timers from "node:timers/promises";',
  'import timers from "node:timers/promises";',
  'import { setInterval } from "node:timers/promises";',
  'const { setTimeout } = await import("node:timers/promises");',
  "await new Promise((resolve, reject) => setTimeout(resolve, 50));",
  "await new Promise<string | undefined>((resolve) => { window.setTimeout(resolve, 50); });",
  "await new Promise(function (resolve) { setTimeout(resolve, 50); });",
  "const { promise, resolve } = Promise.withResolvers(); setTimeout(resolve, 50); await promise;",
  "await promisify(setTimeout)(50);",
  "Atomics.wait(cell, 0, 0, 50);",
  "await page.waitForTimeout(500);",
  'await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");',
  "await scheduler.wait(50);",
])("a fixed time is reported: %s", (text) => {
  expect(found(`\n${text}`)).toEqual([2]);
});

test.each([
  'await pause(50, "the lease of the dead process expires");',
  'import { setImmediate } from "node:timers/promises";',
  "const late = setTimeout(() => fail(), 15_000);",
  "await new Promise((resolve) => setImmediate(resolve));",
  'await page.getByTestId("stop").waitFor({ timeout: 500 });',
])("what says why, or waits for no fixed time, is not: %s", (text) => {
  expect(found(text)).toEqual([]);
});

test("`pause` itself may wait", () => {
  const text = 'import { setTimeout } from "node:timers/promises";';
  expect(found(text, "test/support/pause.ts")).toEqual([]);
});
