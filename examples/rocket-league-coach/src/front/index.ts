export { BackendRefusal } from "./backend-errors.ts";
export {
  type RocketLeagueCoach,
  type RocketLeagueCoachOptions,
  rocketLeagueCoach,
} from "./rocket-league-coach.ts";
export type { PageOptions } from "./wire.ts";
