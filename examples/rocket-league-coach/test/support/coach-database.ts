import type { PGlite } from "@electric-sql/pglite";
import { filledPglite } from "../../../../test/support/filled-pglite.ts";
import { coachData } from "../../src/index.ts";

/** Opens a database with the coach's tables and the public sample, which takes 5 s of processor time to make. */
export async function coachPglite(): Promise<PGlite> {
  const src = "examples/rocket-league-coach/src";
  return await filledPglite({
    name: "coach",
    sources: [`${src}/base`, `${src}/data`],
    fill: async (db) => await (await coachData(db, { sampleReplays: false })).prepare("nobody"),
  });
}
