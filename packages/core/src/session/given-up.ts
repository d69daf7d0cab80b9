import type { RunState } from "./state.ts";

/** The most recoveries in a row without progress before a run is given up. */
const MAX_RECOVERIES = 3;

/** Returns whether a run's processes died too often without progress, so that it must end as `crash_loop`. */
export function isGivenUp({ recoveries }: RunState): boolean {
  return recoveries > MAX_RECOVERIES;
}
