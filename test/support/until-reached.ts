import { expect } from "vitest";

/** The most batches. One of a thousand batches misses something that is reached once in seven batches' runs. */
const MOST = 6;

/**
 * Runs batches of random runs, each of which must hold, until they have reached everything that the test is
 * about. What is rare would otherwise be missing in one of a hundred test runs. `missing` returns the names
 * of what no batch has reached. With `PAWL_PATH`, which repeats one run, there is one batch.
 */
export async function untilReached(
  batch: () => Promise<void>,
  missing: () => readonly string[],
): Promise<void> {
  await batch();
  if (process.env.PAWL_PATH !== undefined) return;
  for (let more = 1; more < MOST && missing().length > 0; more += 1) await batch();
  expect(missing(), "what no random run has reached").toEqual([]);
}
