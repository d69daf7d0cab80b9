import { idFrom, normal, type Random, randomFrom, whole } from "@pawl/example-data-parts";
import { type Playlist, playlists, teamSizes } from "../../base/playlists.ts";
import { type Rank, ranks, TOP_MMR } from "../../base/ranks.ts";
import type { Sample } from "./line.ts";
import { type Fixture, playAll } from "./match.ts";
import { drawPlayer, type Player } from "./player.ts";

/**
 * The players that every rank of a playlist has at least. Percentiles are over players, and fewer than ten
 * would make the 10th and the 90th one player each. The highest ranks have far fewer than one in a thousand
 * players, so a sample in proportion would not contain them.
 */
export const MIN_PLAYERS = 10;
/** The other players of a playlist. They are divided among the ranks as the game's own players are. */
export const MORE_PLAYERS = 80;
/** The replays of each player: enough for an average that differs little from the player's mean. */
export const REPLAYS_EACH = 25;

/** The sample's replays are from the season whose rank distribution it has. */
const SEASON_START = Date.UTC(2023, 11, 6);
const SEASON_DAYS = 90;

/**
 * Draws the public sample: players of every rank in each playlist, and their replays. The same seed gives
 * the same sample.
 */
export function drawPool(seed: string): Sample {
  const random = randomFrom(`pool:${seed}`);
  return playAll(random, fixtures(random, seed));
}

function* fixtures(random: Random, seed: string): Generator<Fixture> {
  for (const playlist of playlists) {
    const counts = playersPerRank(playlist);
    for (const rank of ranks) yield* fixturesOf(random, seed, playlist, rank, counts[rank.index] as number);
  }
}

function* fixturesOf(random: Random, seed: string, playlist: Playlist, rank: Rank, count: number) {
  const below = ranks[rank.index + 1]?.fromMmr ?? TOP_MMR;
  const group = Array.from({ length: count }, (_, index): Player => {
    const mmr = Math.floor(rank.fromMmr + random() * (below - rank.fromMmr));
    return drawPlayer(random, `${playlist}-${rank.index}-${index}`, rank.index, mmr);
  });
  const size = teamSizes[playlist];
  const matches = Math.ceil((count * REPLAYS_EACH) / (2 * size));
  for (let match = 0; match < matches; match += 1) {
    // Takes turns, so that all play equally often.
    const next = (place: number) => group[(match * 2 * size + place) % count] as Player;
    const seats = Array.from({ length: 2 * size }, (_, place) => next(place));
    const playedAt = SEASON_START + whole(random, SEASON_DAYS * 1_440) * 60_000;
    yield {
      replayId: idFrom(`${seed}:${playlist}:${rank.index}:${match}`),
      ownerId: null,
      playlist,
      playedAt,
      blue: seats.slice(0, size),
      orange: seats.slice(size),
      edge: normal(random, 0, 0.08),
    };
  }
}

/** Returns the number of the sample's players in each rank of a playlist. */
export function playersPerRank(playlist: Playlist): number[] {
  const wanted = ranks.map(({ percentOfPlayers }) => (percentOfPlayers[playlist] / 100) * MORE_PLAYERS);
  const counts = wanted.map(Math.floor);
  const left = MORE_PLAYERS - counts.reduce((sum, count) => sum + count, 0);
  // Largest remainders: the rounded numbers add up to the whole.
  const byRemainder = ranks
    .map(({ index }) => index)
    .toSorted((a, b) => remainder(wanted, b) - remainder(wanted, a) || a - b);
  const rounded = new Set(byRemainder.slice(0, left));
  return counts.map((count, index) => MIN_PLAYERS + count + (rounded.has(index) ? 1 : 0));
}

const remainder = (values: readonly number[], index: number): number => (values[index] as number) % 1;
