import type { Database } from "@pawl/postgres";
import { ensureDataSet } from "./insert.ts";
import { drawLife } from "./sample/life.ts";
import { drawPool } from "./sample/pool.ts";

/**
 * The name and the seed of the public sample. All databases have the same one. A change to what it is drawn
 * from needs a migration that deletes the old sample.
 */
const POOL = { name: "pool", seed: "rocket-league-coach" };

/** The most users whose replays this process remembers to be there. It asks the database about others. */
const MOST_KNOWN = 1_000;

/** Creates sample data when it is first needed. */
export interface SampleData {
  /** Resolves once the public sample and, if users get them, the user's replays are stored. */
  ready(userId: string): Promise<void>;
}

export function sampleData(
  db: Database,
  { now, sampleReplays }: { now: () => number; sampleReplays: boolean },
): SampleData {
  const known = new Map<string, Promise<void>>();
  /** Does the work once in this process, and again if it failed. */
  const once = (name: string, work: () => Promise<void>): Promise<void> => {
    const running = known.get(name);
    if (running !== undefined) return running;
    const started = work().catch((error: unknown) => {
      known.delete(name);
      throw error;
    });
    if (known.size >= MOST_KNOWN) known.delete([...known.keys()][0] as string);
    known.set(name, started);
    return started;
  };
  const pool = () => ensureDataSet(db, { ...POOL, draw: () => drawPool(POOL.seed) });
  const life = (name: string, userId: string) =>
    ensureDataSet(db, { name, seed: userId, draw: () => drawLife({ userId, now: now() }) });
  return {
    ready: async (userId) => {
      const name = `user:${userId}`;
      const work = [once(POOL.name, pool)];
      if (sampleReplays) work.push(once(name, () => life(name, userId)));
      await Promise.all(work);
    },
  };
}
