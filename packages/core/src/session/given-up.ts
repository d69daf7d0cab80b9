import type { RunState } from "./state.ts";

/** Recoveries in a row that may come to nothing before the run is given up. */
const MAX_RECOVERIES = 3;

/** Whether the run has died too often without getting any further. */
export function isGivenUp({ recoveries }: RunState): boolean {
  return recoveries > MAX_RECOVERIES;
}
