import { expect, it, onTestFinished } from "vitest";
import { settled } from "./support/settled.ts";
import {
  budgets,
  connectionPool,
  placesOfFiles,
  placesOfReads,
  placesOfRuns,
  readers,
} from "./support/shared/of-runtimes.ts";
import { mcpServerOf, modelOf, remoteLists, trials } from "./support/shared/of-services.ts";
import { type Shared, TIMES } from "./support/shared/shared.ts";

/**
 * How many users have runs in the queue when ada's comes: mallory. Users take turns, so one run of each begins
 * before hers, whatever the number of places. With the place that she then gets, so many runs and one have to
 * end.
 */
const USERS_BEFORE = 1;

it.each<[string, () => Shared, number]>([
  ["the places of runs", placesOfRuns, USERS_BEFORE + 1],
  ["the places for reads of sessions", placesOfReads, 0],
  ["the places of an MCP server", () => mcpServerOf("hangs"), 0],
  ["the circuit of an MCP server", () => mcpServerOf("fails"), 0],
  ["the trials of a circuit", trials, 0],
  ["the circuit of a model whose calls are stopped", () => modelOf("stopped"), 0],
  ["the circuit of a model that refuses requests", () => modelOf("refused"), 0],
  ["the circuit of a model that fails", () => modelOf("failing"), 0],
  ["the lists of remote tools", remoteLists, 0],
  ["the places for files, by uploads that hang", () => placesOfFiles("uploads hang"), 0],
  ["the places for files, by reads that hang", () => placesOfFiles("reads hang"), 0],
  ["budgets with an account for each user", budgets, 0],
  ["the connections of a database", connectionPool, 0],
  ["readers", readers, 0],
])(
  `B8 one user does the worst that is allowed ${TIMES} times with %s; another's work begins after few steps`,
  async (_, make, most) => {
    const { worst, ordinary, step } = make();
    const over = new AbortController();
    onTestFinished(() => over.abort());
    for (let n = 0; n < TIMES; n += 1) {
      worst("mallory", over.signal).catch(() => undefined);
      await settled();
    }
    const begun = ordinary("ada").then(() => true);
    let steps = 0;
    // Without steps it has to begin by itself; otherwise the test's time is over.
    while (!(await (step === undefined ? begun : Promise.race([begun, settled()]))) && steps <= most) {
      steps += 1;
      await step?.();
    }
    expect(steps).toBeLessThanOrEqual(most);
  },
);
