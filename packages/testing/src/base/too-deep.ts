import { isDeeperThan } from "@pawl/core/tools";

/** The most nested levels of a request. A guess: no API says where its parser ends. */
const MOST_LEVELS = 1_000;

/** Returns whether a request is nested so deeply that an API cannot read it as JSON. */
export function isTooDeep(body: unknown): boolean {
  return isDeeperThan(body, MOST_LEVELS);
}
