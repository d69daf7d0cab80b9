import type { Rules } from "@pawl/testing";
import { answer } from "./answer.ts";
import { sceneOf } from "./scene.ts";

/** Options of `rocketLeagueRules()`. */
export interface RocketLeagueRulesOptions {
  /** The speed: 2 is twice as fast, `Infinity` never pauses. Default: 1. */
  speed?: number;
}

/**
 * Creates rules by which the simulator of the Messages API plays the coach: it thinks, calls the tools, and
 * answers from their results. The rules are a pure function of the request.
 *
 * @example
 * ```ts
 * import { rocketLeagueRules } from "@pawl/example-rocket-league-coach";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ rules: rocketLeagueRules({ speed: Infinity }) });
 * console.log(model.id); // claude-sonnet-5-5
 * ```
 */
export function rocketLeagueRules({ speed = 1 }: RocketLeagueRulesOptions = {}): Rules {
  return (request) => ({ latencyMs: 300 / speed, delayPerEventMs: 20 / speed, ...answer(sceneOf(request)) });
}
