import fc from "fast-check";
import { expect, it } from "vitest";
import { backoff } from "../../src/model.ts";

it("L12 waits double up to the longest one", () => {
  const waits = [0, 1, 2, 3, 4, 5, 2_000].map((failures) =>
    backoff(failures, { baseMs: 250, maxMs: 1_500, jitter: 0 }),
  );
  expect(waits).toEqual([250, 250, 500, 1_000, 1_500, 1_500, 1_500]);
});

it("L12 a wait is shorter by a random part, and by no more", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, jitter, random) => {
        const bounds = { baseMs: 100, maxMs: 60_000 };
        const whole = backoff(failures, { ...bounds, jitter: 0 });
        const wait = backoff(failures, { ...bounds, jitter, random: () => random });
        expect(wait).toBe(Math.round(whole * (1 - jitter * random)));
      },
    ),
  );
});
