import type { Playlist } from "./playlists.ts";

/** A rank: its name, the lowest MMR, and the players that have it, in percent of each playlist's players. */
export interface Rank {
  /** 0 for Bronze I … 21 for Supersonic Legend. */
  readonly index: number;
  readonly name: string;
  readonly fromMmr: number;
  readonly percentOfPlayers: Readonly<Record<Playlist, number>>;
}

// The sources of both columns are in DATA.md.
const rows: readonly (readonly [name: string, fromMmr: number, ...percent: number[]])[] = [
  // name, lowest MMR, doubles, standard, duels
  ["Bronze I", 0, 0.091, 0.136, 0.026],
  ["Bronze II", 172, 0.291, 0.457, 0.164],
  ["Bronze III", 235, 0.765, 1.269, 0.731],
  ["Silver I", 295, 1.691, 2.923, 2.068],
  ["Silver II", 355, 3.204, 5.724, 4.462],
  ["Silver III", 415, 5.238, 9.062, 7.657],
  ["Gold I", 475, 7.745, 12.124, 11.375],
  ["Gold II", 535, 9.848, 13.16, 14.295],
  ["Gold III", 595, 11.112, 12.262, 15.466],
  ["Platinum I", 655, 11.794, 10.719, 15.199],
  ["Platinum II", 715, 10.787, 8.49, 11.922],
  ["Platinum III", 773, 9.067, 6.547, 7.69],
  ["Diamond I", 835, 9.646, 6.391, 4.464],
  ["Diamond II", 915, 6.657, 4.18, 2.287],
  ["Diamond III", 995, 4.456, 2.662, 1.125],
  ["Champion I", 1075, 4.169, 2.237, 0.568],
  ["Champion II", 1195, 1.921, 0.957, 0.259],
  ["Champion III", 1315, 0.885, 0.419, 0.122],
  ["Grand Champion I", 1435, 0.465, 0.2, 0.061],
  ["Grand Champion II", 1575, 0.119, 0.059, 0.028],
  ["Grand Champion III", 1709, 0.031, 0.017, 0.013],
  ["Supersonic Legend", 1861, 0.018, 0.005, 0.016],
];

/** All ranks, the lowest first. */
export const ranks: readonly Rank[] = rows.map(
  ([name, fromMmr, doubles = 0, standard = 0, duels = 0], index) => ({
    index,
    name,
    fromMmr,
    percentOfPlayers: { duels, doubles, standard },
  }),
);

/** The MMR at which the highest rank is taken to end. In the game it has no end. */
export const TOP_MMR = 2_050;

const byName: ReadonlyMap<string, Rank> = new Map(ranks.map((rank) => [rank.name.toLowerCase(), rank]));
const ROMAN = ["i", "ii", "iii"];

/**
 * Finds a rank by its name, in upper or lower case. The tier may be a digit: `Diamond 2`. `SSL` and `GC1`
 * are known, too.
 */
export function findRank(name: string): Rank | undefined {
  const words = name
    .trim()
    .toLowerCase()
    .replace(/^ssl$/, "supersonic legend")
    .replace(/^gc(?=\s*[1-3i])/, "grand champion ")
    .replace(/\s+/g, " ")
    .replace(/ ?([1-3])$/, (_, digit: string) => ` ${ROMAN[Number(digit) - 1]}`);
  return byName.get(words);
}

/** Returns the rank with this index. An index outside of the list gives the nearest rank. */
export function rankAt(index: number): Rank {
  return ranks[Math.min(Math.max(index, 0), ranks.length - 1)] as Rank;
}

/** Returns the rank of an MMR. */
export function rankOfMmr(mmr: number): Rank {
  return ranks.findLast(({ fromMmr }) => mmr >= fromMmr) ?? rankAt(0);
}

/** Returns the share of a playlist's players that have this rank or a higher one, in percent. */
export function topPercent(rank: Rank, playlist: Playlist): number {
  return ranks.slice(rank.index).reduce((sum, { percentOfPlayers }) => sum + percentOfPlayers[playlist], 0);
}
