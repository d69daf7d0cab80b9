import { normal, pick, type Random, whole } from "@pawl/example-data-parts";
import type { Playlist } from "../../base/playlists.ts";
import { type Drawn, drawn, placeOf, spreads } from "./model.ts";

/** A player of the sample, before any match. */
export interface Player {
  readonly id: string;
  readonly name: string;
  readonly rank: number;
  readonly mmr: number;
  /** From 0 (Bronze I) to 1 (Supersonic Legend). */
  readonly place: number;
  /** How far the player is from the mean of the rank, in units of each statistic. */
  readonly habits: Readonly<Partial<Record<Drawn, number>>>;
  /** How well the player finishes, compared with others of the rank: around 1. */
  readonly finishing: number;
  /** How much the player stays ahead of the team, compared with others: around 1. */
  readonly pressing: number;
}

// Made up. Real players' names are not part of the sample.
const FIRST = ["Turbo", "Amber", "Quiet", "Lucky", "Rusty", "Polar", "Cosmic", "Mellow", "Rapid", "Velvet"];
const SECOND = [
  "Otter",
  "Comet",
  "Badger",
  "Falcon",
  "Pickle",
  "Walrus",
  "Lantern",
  "Pepper",
  "Mantis",
  "Yak",
];

/** Draws a player of a rank. */
export function drawPlayer(random: Random, id: string, rank: number, mmr: number): Player {
  const name = `${pick(random, FIRST)}${pick(random, SECOND)}${whole(random, 100)}`;
  const habits = Object.fromEntries(drawn.map((one) => [one, normal(random, 0, spreads[one].players)]));
  const finishing = Math.max(0.6, normal(random, 1, 0.1));
  return { id, name, rank, mmr, place: placeOf(rank), habits, finishing, pressing: 1 };
}

/** Two teams before kick-off. */
export interface Lineup {
  readonly playlist: Playlist;
  readonly blue: readonly Player[];
  readonly orange: readonly Player[];
}
