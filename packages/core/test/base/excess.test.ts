import { expect, it } from "vitest";
import { excessOf } from "../../src/tools.ts";

const bounds = { levels: 3, values: 10 };

it.each([[null], [5], ["text"], [[]], [[[[]]]], [{ a: { b: {} } }], [Array(10).fill(1)]])(
  "B7 counts what is within the bounds: %j",
  (value) => {
    expect(excessOf(value, bounds)).toBeUndefined();
  },
);

it.each<[unknown, string]>([
  [[[[[]]]], "levels"],
  [{ a: { b: { c: {} } } }, "levels"],
  [Array(11).fill(1), "values"],
  [[Array(5).fill(1), Array(5).fill(1)], "values"],
  [Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, at])), "values"],
])("B7 names the bound that is exceeded: %j", (value, excess) => {
  expect(excessOf(value, bounds)).toBe(excess);
});

it("B7 does not recurse", () => {
  let value: unknown = [];
  for (let level = 0; level < 200_000; level += 1) value = [value];
  expect(excessOf(value, { levels: 1_000_000, values: 1_000_000 })).toBeUndefined();
  expect(excessOf(value, { levels: 100, values: 1_000_000 })).toBe("levels");
});
