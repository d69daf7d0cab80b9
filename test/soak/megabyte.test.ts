import { describe, expect, it } from "vitest";
import { peakMb } from "../attacks/parts/peak.ts";
import { standstill, threadMs } from "../attacks/parts/standstill.ts";
import type { Opened } from "../megabyte/door.ts";
import { DOORS } from "../megabyte/doors.ts";
import { SHAPES } from "../megabyte/shapes.ts";
import { soak } from "../support/soak.ts";

/** In the soak, a little less than a body may have by default: there is more around the value. */
const BYTES = soak(20_000, 999_000);

/** A value of each shape. The first one also has more values than any door judges. */
const TEXTS: readonly (readonly [name: string, bytes: number, json: (bytes: number) => string])[] = [
  ...SHAPES.map(({ name, json }) => [name, BYTES, json] as const),
  ...SHAPES.slice(0, 1).map(({ name, json }) => [`${name}, 100,000`, 200_000, json] as const),
];

describe("B7 whatever a value from outside is like, it is taken, or refused in few words", () => {
  it.each(DOORS)("$name", { timeout: soak(60_000, 900_000) }, async ({ name: door, harmless, open }) => {
    const opened = await open();
    expect(await opened.knock(harmless)).toMatchObject({ taken: true, refusal: "" });
    const broken: string[] = [];
    let worst = { shape: "", ms: -1, json: "" };
    let longest = 0;
    for (const [shape, bytes, json] of TEXTS) {
      const text = json(bytes);
      const { refusal, ms, limitMs } = await cost(opened, text);
      if (refusal.length > 10_000) broken.push(`${shape}: ${refusal.length} characters`);
      if (soak(0, ms) > limitMs) broken.push(`${shape}: stands still for ${ms} ms`);
      longest = Math.max(longest, refusal.length);
      if (ms > worst.ms) worst = { shape, ms, json: text };
    }
    if (soak(0, 1) === 1) broken.push(...(await together(door, opened, { ...worst, longest })));
    await opened.close?.();
    // None of it is a fault of the app.
    expect({ broken, errors: opened.errors }).toEqual({ broken: [], errors: [] });
  });
});

/**
 * Sends a value. Returns for how long nothing else got on, in milliseconds of the processor, so that a busy machine
 * counts nothing, and how long that may be. For a database: how long its statement took.
 */
async function cost({ knock }: Opened, text: string) {
  const began = threadMs();
  JSON.parse(text);
  const parsedMs = threadMs() - began;
  const { value, longestMs } = await standstill(() => knock(text));
  if (value.statementMs !== undefined) {
    let ms = value.statementMs;
    // On a busy machine, a statement waits for the processor: the shortest of three times counts.
    for (let more = 2; more > 0 && ms > STATEMENT_MS; more -= 1)
      ms = Math.min(ms, (await knock(text)).statementMs ?? ms);
    return { ...value, ms, limitMs: STATEMENT_MS };
  }
  return { ...value, ms: longestMs, limitMs: Math.max(100, 20 * parsedMs) };
}

/**
 * How long a statement of a database may take, in milliseconds of the clock. Postgres parses 1 MB of JSON several
 * times, and stores it: that takes up to 85 ms.
 */
const STATEMENT_MS = 250;

const HEAD = [
  "| door | its most expensive shape | stands still for | longest refusal, in characters | memory for 30 at once |",
  "|---|---|---|---|---|",
];

/** How many clients send the most expensive value of a door at once. */
const AT_ONCE = 30;

/** Sends the most expensive value many times at once, and reports what the door has cost. */
async function together(
  door: string,
  { knock }: Opened,
  { shape, ms, json, longest }: { shape: string; ms: number; json: string; longest: number },
): Promise<string[]> {
  const { grownMb } = await peakMb(() => Promise.all(Array.from({ length: AT_ONCE }, () => knock(json))));
  if (door === DOORS[0]?.name) for (const line of HEAD) soak.report(line);
  soak.report(`| ${door} | ${shape} | ${ms} ms | ${longest} | ${grownMb} MB |`);
  const mostMb = AT_ONCE * 20 * (BYTES / 1e6) + 16;
  return grownMb > mostMb ? [`${AT_ONCE} at once take ${grownMb} MB`] : [];
}
