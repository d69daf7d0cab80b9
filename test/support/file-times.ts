// Writes how long each test file took, and the processor time of its process and of the programs that it started and
// that have ended, as one line of JSON a file. A browser or database that goes on counts as waiting.
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

const root = new URL("../..", import.meta.url).pathname;
const began = performance.now();
const before = processorTime();

afterAll(() => {
  const { testPath = "" } = expect.getState();
  const times = { wall: (performance.now() - began) / 1_000, processor: processorTime() - before };
  const line = JSON.stringify({ file: relative(root, testPath), ...times });
  appendFileSync(process.env.PAWL_TEST_TIMES ?? "", `${line}\n`);
});

/** The processor time of this process and its ended children, in seconds. */
function processorTime(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const ticks = fields.split(" ").slice(11, 15);
  return ticks.reduce((sum, count) => sum + Number(count), 0) / 100;
}
