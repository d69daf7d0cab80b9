/**
 * The largest numbers that tests and checks accept. docs/promises.md has each beside the number that was
 * promised, and `npm run promises` compares both pages: raising a limit here shows there as a missed promise.
 */
export const LIMITS = {
  // kB in a page or program at its start, compressed with gzip (test/bundles.test.ts)
  useAgent: 12.8,
  createAspClient: 7.2,
  useAsp: 7.6,
  core: 82,
  // names that the main door of core exports (npm run doors)
  mainDoorNames: 150,
  // files that Node loads for core and the Claude client (test/cold-start.test.ts)
  modulesAtImport: 64,
  // instantiations of the TypeScript compiler (test/type-cost.test.ts)
  toolInAgent: 750,
  toolOnPage: 900,
  // calls of the store (test/trips.test.ts)
  callsBeforeModel: 2,
  callsOfToolTurn: 2,
  callsOfLastTurn: 1,
  // round trips to the database (test/wire-trips.test.ts)
  roundTripsBeforeModel: 2,
  // tokens, as characters divided by four (examples/coach/test)
  coachPrompt: 15_000,
  coachSkill: 500,
};
