import { normal, pick, type Random } from "@pawl/example-data-parts";
import { between, rounded, sum } from "../../base/numbers.ts";
import { PAD_BOOST, pads } from "../../base/pads.ts";
import type { Line, Replay, Sample } from "./line.ts";
import { type Drawn, drawn, meanOf, type Spread, spreads } from "./model.ts";
import type { Lineup, Player } from "./player.ts";
import { play, pointsOf, type Tally } from "./score.ts";

const MAPS = ["Champions Field", "DFH Stadium", "Mannfield", "Urban Central", "Utopia Coliseum", "Wasteland"];
const MATCH_SECONDS = 300;
/** A replay also contains kick-offs and celebrations, during which the clock stands still. */
const STOPPED_SECONDS = 9;

/** A match to be played. */
export interface Fixture extends Lineup {
  replayId: string;
  ownerId: string | null;
  /** Milliseconds since 1970. */
  playedAt: number;
  /** Favours blue, from -1 to 1. */
  edge?: number;
}

/** Plays a match. The owner of the replay, if it has one, is the first player of the blue team. */
export function playMatch(random: Random, fixture: Fixture): { replay: Replay; lines: Line[] } {
  const { replayId, ownerId, playlist, playedAt, blue, orange } = fixture;
  const result = play(random, fixture, fixture.edge);
  const { blueGoals, orangeGoals, overtimeSeconds } = result;
  const seconds = MATCH_SECONDS + overtimeSeconds + STOPPED_SECONDS * (blueGoals + orangeGoals + 1);
  const shared = { replay_id: replayId, owner_id: ownerId, playlist };
  const replay: Replay = {
    ...shared,
    played_at: playedAt,
    duration_seconds: seconds,
    overtime: overtimeSeconds > 0,
    map: pick(random, MAPS),
    blue_goals: blueGoals,
    orange_goals: orangeGoals,
  };
  const possession = between(25, normal(random, 50 + 3 * (blueGoals - orangeGoals), 5), 75);
  const linesOf = (team: Line["team"], players: readonly Player[], tallies: readonly Tally[]): Line[] => {
    const roles = {
      forward: shares(
        random,
        players.map(({ pressing }) => pressing),
      ),
      back: shares(
        random,
        players.map(({ pressing }) => 1 / pressing),
      ),
    };
    const own = team === "blue" ? possession : 100 - possession;
    const held = shares(
      random,
      players.map(() => 1),
    ).map((share) => (own * share) / 100);
    return players.map((player, index) => ({
      ...shared,
      is_owner: ownerId !== null && team === "blue" && index === 0,
      player_id: player.id,
      player_name: player.name,
      team,
      won: team === "blue" ? blueGoals > orangeGoals : orangeGoals > blueGoals,
      rank: player.rank,
      mmr: player.mmr,
      mmr_change: null,
      ...statistics(random, player, fixture, seconds, tallies[index] as Tally),
      percent_most_back: players.length === 1 ? null : rounded(roles.back[index] as number, 1),
      percent_most_forward: players.length === 1 ? null : rounded(roles.forward[index] as number, 1),
      percent_possession: rounded(held[index] as number, 1),
    }));
  };
  return {
    replay,
    lines: [...linesOf("blue", blue, result.blue), ...linesOf("orange", orange, result.orange)],
  };
}

/** Plays matches, one after another. */
export function playAll(random: Random, fixtures: Iterable<Fixture>): Sample {
  const sample: Sample = { replays: [], lines: [] };
  for (const fixture of fixtures) {
    const { replay, lines } = playMatch(random, fixture);
    sample.replays.push(replay);
    sample.lines.push(...lines);
  }
  return sample;
}

/** Divides 100 among the players of a team, about in proportion to their weights. */
function shares(random: Random, players: readonly number[]): number[] {
  const weights = players.map((weight) => weight * Math.max(0.35, normal(random, 1, 0.18)));
  const total = sum(weights);
  return weights.map((weight) => (100 * weight) / total);
}

function statistics(random: Random, player: Player, fixture: Lineup, seconds: number, tally: Tally) {
  const draw = (name: Drawn): number => {
    const { matches, min, max }: Spread = spreads[name];
    const mean = meanOf(name, player.place, fixture.playlist) + (player.habits[name] ?? 0);
    return between(min, normal(random, mean, matches), max);
  };
  const raw = Object.fromEntries(drawn.map((name) => [name, draw(name)])) as Record<Drawn, number>;
  // The neutral third is the rest.
  raw.percent_offensive_third = Math.min(raw.percent_offensive_third, 96 - raw.percent_defensive_third);
  const { boost_collected_per_minute, big_pad_percent, stolen_percent, touches, ...others } = raw;
  const collected = (boost_collected_per_minute * seconds) / 60;
  const big = (collected * big_pad_percent) / 100;
  const hits = Math.round(touches);
  return {
    ...mapped(others, (value) => rounded(value, 1)),
    ...tally,
    touches: hits,
    score: pointsOf(tally, hits),
    boost_collected_per_minute: rounded(boost_collected_per_minute, 1),
    // Some boost is left in the tank when a goal or a demolition ends the play.
    boost_per_minute: rounded(boost_collected_per_minute * (0.93 + random() * 0.06), 1),
    boost_from_big_pads: Math.round(big),
    boost_from_small_pads: Math.round(collected - big),
    boost_stolen: Math.round((collected * stolen_percent) / 100),
    percent_low_air: rounded(100 - rounded(raw.percent_ground, 1) - rounded(raw.percent_high_air, 1), 1),
    percent_neutral_third: rounded(
      100 - rounded(raw.percent_defensive_third, 1) - rounded(raw.percent_offensive_third, 1),
      1,
    ),
    pads: pickups(random, big, collected - big, stolen_percent / 100),
  };
}

/** The part of a pad's boost that a car takes on average: its tank is not empty. */
const TAKEN = { small: 0.92, big: 0.72 };

/** Spreads the boost of a match over the pads. `stolen` is the share from the opponents' half. */
function pickups(random: Random, big: number, small: number, stolen: number): number[] {
  const count = { small: small / (PAD_BOOST.small * TAKEN.small), big: big / (PAD_BOOST.big * TAKEN.big) };
  return pads.map(({ size, y }) => {
    const half = y > 0 ? stolen : y < 0 ? 0.8 - stolen : 0.2;
    const inHalf = size === "big" ? 2 : y === 0 ? 2 : 13;
    return Math.max(0, Math.round(normal(random, (count[size] * half) / inHalf, 0.6)));
  });
}

function mapped<K extends string>(values: Readonly<Record<K, number>>, change: (value: number) => number) {
  const entries = Object.entries<number>(values).map(([key, value]) => [key, change(value)]);
  return Object.fromEntries(entries) as Record<K, number>;
}
