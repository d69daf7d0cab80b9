import { PawlError } from "@pawl/core";
import type { Database } from "@pawl/postgres";
import type { MetricName } from "../base/metrics.ts";
import type { Playlist } from "../base/playlists.ts";
import type {
  BoostAnalysis,
  CoachingNote,
  PlayerTrends,
  PlaySession,
  RankBenchmarks,
  ReplayDetails,
  RotationAnalysis,
} from "../base/shapes.ts";
import type { Range } from "./averages.ts";
import { benchmarksOf } from "./benchmarks.ts";
import { boostOf } from "./boost.ts";
import { migrateCoach } from "./migrate.ts";
import { type NewNote, notesOf, saveNote } from "./notes.ts";
import { ownsReplay, replayOf } from "./replays.ts";
import { rotationsOf } from "./rotations.ts";
import { sampleData } from "./sample-data.ts";
import { sessionsOf } from "./sessions.ts";
import { noMatches, type Place, placeOfUser } from "./standing.ts";
import { trendsOf } from "./trends.ts";

/** Which matches a question is about. */
export interface MatchQuery {
  playlist: Playlist;
  /** How many days to look back from now. */
  daysBack: number;
}

/**
 * The stored data of the coach's users. Every method reads one user's own replays and notes, and averages of
 * the public sample. Methods reject with a PawlError `not_found` if the user has no such matches or replay,
 * and with the driver's error if the database fails.
 */
export interface CoachData {
  /** Compares the user with players of some ranks (indexes). Empty: their own rank and a tier above. */
  benchmarks(
    userId: string,
    query: MatchQuery & { ranks: readonly number[]; metrics: readonly MetricName[] },
  ): Promise<RankBenchmarks>;
  trends(
    userId: string,
    query: MatchQuery & { window: PlayerTrends["window"]; metrics: readonly MetricName[] },
  ): Promise<PlayerTrends>;
  sessions(
    userId: string,
    query: { playlist?: Playlist | undefined; daysBack: number; limit: number },
  ): Promise<PlaySession[]>;
  /** Returns one of the user's replays. Others' replays do not exist for the user. */
  replay(userId: string, replayId: string): Promise<ReplayDetails>;
  boost(userId: string, query: MatchQuery): Promise<BoostAnalysis>;
  rotations(userId: string, query: MatchQuery): Promise<RotationAnalysis>;
  /** Stores a note once for each `callKey`. A `replayId` must be one of the user's own. */
  saveNote(userId: string, note: NewNote): Promise<CoachingNote>;
  /** Returns the newest notes, the newest first. */
  notes(userId: string, query: { topic?: string | undefined; limit: number }): Promise<CoachingNote[]>;
  /** Creates the public sample and the user's sample replays now, which the other methods do when needed. */
  prepare(userId: string): Promise<void>;
}

/** The part of `deps` that the coach's tools use. */
export interface CoachDeps {
  coach: CoachData;
}

export interface CoachDataOptions {
  /** Returns the current time, in milliseconds since 1970. Days are UTC. */
  now?: () => number;
  /** Whether a user without replays gets sample replays at the first question. Default: yes. */
  sampleReplays?: boolean;
}

/**
 * Opens the coach's data over a driver: `pg`, postgres.js or a PGlite. Creates or updates its tables first,
 * in the schema `rl_coach`. The public sample and a user's replays are created when they are first needed.
 *
 * @throws the driver's error when the database fails.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { coachData } from "@pawl/example-rocket-league-coach";
 *
 * const db = await PGlite.create();
 * const data = await coachData(db);
 * const { you } = await data.boost("ada", { playlist: "doubles", daysBack: 180 });
 * console.log(you.mmr > 700); // true
 * await db.close();
 * ```
 */
export async function coachData(
  db: Database,
  { now = Date.now, sampleReplays = true }: CoachDataOptions = {},
): Promise<CoachData> {
  await migrateCoach(db);
  const sample = sampleData(db, { now, sampleReplays });
  const since = (daysBack: number) => new Date(now() - daysBack * DAY_MS).toISOString();
  const rangeOf = (userId: string, { playlist, daysBack }: MatchQuery): Range => ({
    userId,
    playlist,
    since: since(daysBack),
  });
  /** Runs a query about one playlist, in which the user must have played. */
  const about = async <T extends { matches: number }>(
    userId: string,
    query: MatchQuery,
    read: (range: Range, place: Place) => Promise<T>,
  ): Promise<T> => {
    await sample.ready(userId);
    const place = await placeOfUser(db, userId, query.playlist);
    const found = place && (await read(rangeOf(userId, query), place));
    if (found === undefined || found.matches === 0)
      throw await noMatches(db, userId, { ...query, now: now() });
    return found;
  };
  return {
    prepare: (userId) => sample.ready(userId),
    benchmarks: async (userId, query) => {
      await sample.ready(userId);
      return await benchmarksOf(db, rangeOf(userId, query), query);
    },
    trends: (userId, query) => about(userId, query, (range) => trendsOf(db, range, query)),
    boost: (userId, query) =>
      about(userId, query, (range, place) => boostOf(db, range, { daysBack: query.daysBack, place })),
    rotations: (userId, query) =>
      about(userId, query, (range, place) => rotationsOf(db, range, { daysBack: query.daysBack, place })),
    sessions: async (userId, query) => {
      await sample.ready(userId);
      const found = await sessionsOf(db, userId, { ...query, since: since(query.daysBack) });
      if (found.length === 0) throw await noMatches(db, userId, { ...query, now: now() });
      return found;
    },
    replay: async (userId, replayId) => {
      await sample.ready(userId);
      return (await replayOf(db, userId, replayId)) ?? throwNoReplay(replayId);
    },
    saveNote: async (userId, note) => {
      const { replayId } = note;
      if (replayId !== undefined) {
        await sample.ready(userId);
        if (!(await ownsReplay(db, userId, replayId))) throwNoReplay(replayId);
      }
      return await saveNote(db, userId, note, now());
    },
    notes: (userId, query) => notesOf(db, userId, query),
  };
}

const DAY_MS = 86_400_000;

function throwNoReplay(replayId: string): never {
  const shown = JSON.stringify(replayId.slice(0, 60));
  throw new PawlError(
    "not_found",
    `The user has no replay ${shown}. get_recent_sessions lists their replays with their ids.`,
  );
}
