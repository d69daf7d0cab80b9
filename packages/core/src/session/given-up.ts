import type { RunState } from "./state.ts";

/** How many recoveries in a row may fail to make progress before the run is given up. */
const MAX_RECOVERIES = 3;

/** Whether the run's processes died too often without progress. */
export function isGivenUp({ recoveries }: RunState): boolean {
  return recoveries > MAX_RECOVERIES;
}
