import { pick, poisson, type Random, weighted } from "@pawl/example-data-parts";
import { sum } from "../../base/numbers.ts";
import { at, scoring } from "./model.ts";
import type { Lineup, Player } from "./player.ts";

/** What a player did that the scoreboard counts. */
export interface Tally {
  goals: number;
  assists: number;
  saves: number;
  shots: number;
  demos_inflicted: number;
  demos_taken: number;
}

/** The result of a match. */
export interface Result {
  blue: readonly Tally[];
  orange: readonly Tally[];
  blueGoals: number;
  orangeGoals: number;
  /** Seconds of overtime; 0 if the match ended in time. */
  overtimeSeconds: number;
}

/**
 * Plays a match: goals first, then the shots, saves and assists that go with them, so that the numbers of a
 * replay agree with each other. `edge` from -1 to 1 favours blue.
 */
export function play(random: Random, { playlist, blue, orange }: Lineup, edge = 0): Result {
  const place = averagePlace([...blue, ...orange]);
  const mean = at(place, scoring.teamGoals[playlist]);
  let blueGoals = poisson(random, mean * (1 + edge));
  let orangeGoals = poisson(random, mean * (1 - edge));
  const overtimeSeconds = blueGoals === orangeGoals ? 5 + Math.floor(random() ** 2 * 240) : 0;
  if (overtimeSeconds > 0) {
    if (random() < (1 + edge) / 2) blueGoals += 1;
    else orangeGoals += 1;
  }
  const teams = {
    blue: attack(random, blue, blueGoals, mean),
    orange: attack(random, orange, orangeGoals, mean),
  };
  defend(random, teams.blue, teams.orange, place);
  defend(random, teams.orange, teams.blue, place);
  demolish(random, teams.blue, teams.orange, place);
  demolish(random, teams.orange, teams.blue, place);
  return { ...teams, blueGoals, orangeGoals, overtimeSeconds };
}

function averagePlace(players: readonly Player[]): number {
  return sum(players.map(({ place }) => place)) / players.length;
}

/** Gives a team's goals, assists and shots to its players. `mean` is the mean number of goals. */
function attack(random: Random, team: readonly Player[], goals: number, mean: number): Tally[] {
  const place = averagePlace(team);
  const tallies = team.map(
    (): Tally => ({ goals: 0, assists: 0, saves: 0, shots: 0, demos_inflicted: 0, demos_taken: 0 }),
  );
  const finishing = team.map((player) => player.finishing ** 2);
  for (let goal = 0; goal < goals; goal += 1) {
    const scorer = weighted(random, finishing);
    const tally = tallies[scorer] as Tally;
    tally.goals += 1;
    tally.shots += 1;
    if (team.length === 1 || random() >= at(place, scoring.assisted)) continue;
    const others = tallies.filter((_, index) => index !== scorer);
    pick(random, others).assists += 1;
  }
  const hit = at(place, scoring.shootingPercentage) / 100;
  for (const [index, player] of team.entries()) {
    // Better finishers need fewer shots for a goal.
    const missed = ((mean / team.length) * (1 / hit - 1)) / player.finishing;
    (tallies[index] as Tally).shots += poisson(random, missed);
  }
  return tallies;
}

/** Gives the saves of the attackers' shots to the defenders. */
function defend(random: Random, defenders: readonly Tally[], attackers: readonly Tally[], place: number) {
  const shots = sum(attackers.map((tally) => tally.shots - tally.goals));
  for (let shot = 0; shot < shots; shot += 1) {
    if (random() >= at(place, scoring.saved)) continue;
    pick(random, defenders).saves += 1;
  }
}

function demolish(random: Random, attackers: readonly Tally[], defenders: readonly Tally[], place: number) {
  for (const attacker of attackers) {
    const demos = poisson(random, at(place, scoring.demos));
    attacker.demos_inflicted += demos;
    for (let demo = 0; demo < demos; demo += 1) pick(random, defenders).demos_taken += 1;
  }
}

/** Returns the points of a scoreboard. Every touch is 2, and a shot without a goal is 10. */
export function pointsOf({ goals, assists, saves, shots }: Tally, touches: number): number {
  return goals * 100 + assists * 50 + saves * 50 + (shots - goals) * 10 + touches * 2;
}
