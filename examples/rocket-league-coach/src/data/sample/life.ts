import { idFrom, normal, type Random, randomFrom, weighted, whole } from "@pawl/example-data-parts";
import { between } from "../../base/numbers.ts";
import { type Playlist, teamSizes } from "../../base/playlists.ts";
import { rankOfMmr } from "../../base/ranks.ts";
import type { Sample } from "./line.ts";
import { playMatch } from "./match.ts";
import { placeOf } from "./model.ts";
import { drawPlayer, type Player } from "./player.ts";

/** How far a user's replays reach back: half a year shows trends over months. */
export const LIFE_DAYS = 182;
/** The chance that the user plays on a day: about three evenings a week. */
const PLAYS = 0.42;
/** What one match changes the MMR by. */
const STEP = 9;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** How often each playlist is chosen, and from which MMR to which the user rises in it. */
const paths: readonly { playlist: Playlist; weight: number; from: number; to: number }[] = [
  { playlist: "doubles", weight: 6, from: 745, to: 900 },
  { playlist: "standard", weight: 3, from: 640, to: 785 },
  { playlist: "duels", weight: 1, from: 540, to: 555 },
];

export interface LifeOptions {
  userId: string;
  /** Different seeds give different replays. Default: the user's id. */
  seed?: string | undefined;
  /** Milliseconds since 1970. The last evening is the day before. */
  now: number;
}

/** What changes from match to match. */
interface State {
  random: Random;
  userId: string;
  name: string;
  partner: string;
  mmr: Map<Playlist, number>;
  matches: number;
}

/**
 * Draws half a year of replays of one user, who gets better: less time without boost, faster, higher MMR.
 * Some habits stay: too far forward, and most boost from big pads. The same seed and time give the same
 * replays.
 */
export function drawLife({ userId, seed = userId, now }: LifeOptions): Sample {
  const random = randomFrom(`life:${seed}`);
  const name = drawPlayer(random, "owner", 0, 0).name;
  const partner = drawPlayer(random, "partner", 0, 0).name;
  const mmr = new Map(paths.map(({ playlist, from }) => [playlist, from] as const));
  const state: State = { random, userId, name, partner, mmr, matches: 0 };
  const sample: Sample = { replays: [], lines: [] };
  const today = Math.floor(now / DAY_MS);
  for (let ago = LIFE_DAYS; ago >= 1; ago -= 1) {
    // There is always an evening yesterday, so that there is something new to talk about.
    if (random() > PLAYS && ago > 1) continue;
    playEvening(state, (today - ago) * DAY_MS, 1 - ago / LIFE_DAYS, sample);
  }
  return sample;
}

/** Plays three to seven matches of one playlist. `progress` is from 0 to 1. */
function playEvening(state: State, day: number, progress: number, sample: Sample): void {
  const { random, mmr, userId } = state;
  const choice = weighted(
    random,
    paths.map(({ weight }) => weight),
  );
  const { playlist, from, to } = paths[choice] as (typeof paths)[number];
  const matches = 3 + whole(random, 5);
  let playedAt = day + (17 * 60 + whole(random, 180)) * MINUTE_MS;
  for (let match = 0; match < matches; match += 1) {
    const before = mmr.get(playlist) ?? from;
    const edge = between(-0.35, (from + (to - from) * progress - before) / 150, 0.35);
    const { replay, lines } = playMatch(random, {
      replayId: idFrom(`${userId}:${state.matches}`),
      ownerId: userId,
      playlist,
      playedAt,
      ...lineup(state, playlist, before, progress),
      edge,
    });
    const change = replay.blue_goals > replay.orange_goals ? STEP : -STEP;
    sample.replays.push(replay);
    sample.lines.push(...lines.map((line) => (line.is_owner ? { ...line, mmr_change: change } : line)));
    mmr.set(playlist, before + change);
    state.matches += 1;
    playedAt += (replay.duration_seconds + 60 + whole(random, 120)) * 1_000;
  }
}

function lineup(state: State, playlist: Playlist, mmr: number, progress: number) {
  const { random, partner, matches } = state;
  const size = teamSizes[playlist];
  const near = (id: string): Player => {
    const own = Math.max(0, Math.round(normal(random, mmr, 25)));
    return drawPlayer(random, id, rankOfMmr(own).index, own);
  };
  const mates = Array.from({ length: size - 1 }, (_, seat) => near(`mate-${matches}-${seat}`));
  // Half of the doubles are with the same friend.
  const isWithFriend = playlist === "doubles" && random() < 0.5;
  const friends = mates.map((mate) => (isWithFriend ? { ...mate, id: "partner", name: partner } : mate));
  const orange = Array.from({ length: size }, (_, seat) => near(`opponent-${matches}-${seat}`));
  return { blue: [user(state, mmr, progress), ...friends], orange };
}

/** The user at some time: their habits, in units of each statistic, compared with others of the rank. */
function user({ name }: State, mmr: number, progress: number): Player {
  const rank = rankOfMmr(mmr).index;
  const towards = (from: number, to: number) => from + (to - from) * progress;
  return {
    id: "owner",
    name,
    rank,
    mmr,
    place: placeOf(rank),
    finishing: towards(0.95, 1.12),
    pressing: 1.3,
    habits: {
      boost_collected_per_minute: towards(-28, 14),
      percent_zero_boost: towards(5, 0.5),
      big_pad_percent: towards(10, 8),
      average_speed: towards(-30, 35),
      percent_supersonic: towards(-1.4, 1.2),
      percent_ground: towards(4, 2.5),
      percent_behind_ball: towards(-6, -5),
      percent_defensive_third: -5,
      percent_offensive_third: 4,
      distance_to_ball: -140,
    },
  };
}
