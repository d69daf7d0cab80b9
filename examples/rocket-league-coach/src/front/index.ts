export {
  type RocketLeagueCoach,
  type RocketLeagueCoachOptions,
  rocketLeagueCoach,
} from "./rocket-league-coach.ts";
