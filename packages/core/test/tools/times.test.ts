import { expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../src/index.ts";
import { storedMoment } from "../../src/tools/expiry.ts";

const yes = z.object({ yes: z.boolean() });

const asks = (at: string | Date) => () =>
  tool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    suspends: { answer: yes, expires: { at, default: { yes: false } } },
  });

it.each([
  "2026-12-24T18:00",
  "2026-12-24T18:00:00.000",
  "2026-12-24",
  "2026-12-24 18:00",
  "Thu, 24 Dec 2026",
])("B5 F26 a time without a zone is refused: %s", (at) => {
  expect(asks(at)).toThrow(
    /`at` of .* must be a Date, or a time as ISO 8601 with its zone, e\.g\. "2026-12-24T18:00:00Z" or "2026-12-24T18:00:00\+01:00"; got "/,
  );
});

it.each([
  "2026-12-24T18:00Z",
  "2026-12-24T18:00:00.000Z",
  "2026-12-24T19:00:00+01:00",
  "2026-12-24T18:00:00z",
])("B5 F26 a time with a zone is the same moment everywhere: %s", (at) => {
  expect(asks(at)).not.toThrow();
  expect(storedMoment("it", { at })).toEqual({ at: "2026-12-24T18:00:00.000Z" });
});
