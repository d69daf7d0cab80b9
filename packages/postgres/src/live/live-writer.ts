import type { LiveState } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { pause } from "../listening/keep-listening.ts";
import { deleteLive, writeLive } from "./live-rows.ts";

/**
 * The maximum number of characters per millisecond that are written for a session. This is why long answers
 * are written less often.
 */
const PACE = 200;
/** How long to wait after a failed write, in milliseconds. */
const RETRY_MS = 5_000;

/** Writes the live states of this process's legs, so that other processes can read them. */
export interface LiveWriter {
  /** Registers a leg. `state` is read at each write, so change it in place. */
  begin(sessionId: string, state: LiveState): void;
  /** Writes the live state soon, because it has changed or has a new reader. */
  touch(sessionId: string): void;
  /** Ends the session's leg and deletes its row. */
  end(sessionId: string): void;
  /** Ends all legs. Resolves when no write is in progress. */
  settled(): Promise<void>;
}

interface Options {
  db: Database;
  /** The time between two writes of a session, in milliseconds. */
  everyMs: number;
  /** Returns whether another process has readers for the session. */
  isRead(sessionId: string): boolean;
  /** Notifies other processes that the session's row has changed. */
  tell(sessionId: string): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

interface Leg {
  id: string;
  state: LiveState;
  version: number;
  changed: boolean;
  over: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Returns a writer. A leg's first change is written at once, and later ones at most every `everyMs`
 * milliseconds. Nothing is written for sessions without readers in other processes.
 */
export function liveWriter({ db, everyMs, isRead, tell, onError, signal }: Options): LiveWriter {
  const legs = new Map<string, Leg>();
  const working = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    working.add(work);
    return work.finally(() => working.delete(work));
  };
  const writeOn = async (sessionId: string, leg: Leg) => {
    while (leg.changed && !leg.over && !signal.aborted && isRead(sessionId)) {
      leg.changed = false;
      leg.version += 1;
      try {
        const length = await writeLive(db, sessionId, {
          leg: leg.id,
          version: leg.version,
          state: leg.state,
        });
        tell(sessionId);
        await leftAlone(leg, Math.max(everyMs, length / PACE));
      } catch (error) {
        onError(error);
        await leftAlone(leg, RETRY_MS);
      }
    }
    leg.writing = undefined;
  };
  const leftAlone = async (leg: Leg, ms: number) => {
    const until = performance.now() + ms;
    while (!leg.over && !signal.aborted && performance.now() < until) {
      await pause(Math.min(everyMs, Math.max(0, until - performance.now())), signal);
    }
  };
  const clear = async (sessionId: string, leg: Leg) => {
    await leg.writing;
    // If the session has a new leg, that leg overwrites the row.
    if (leg.version === 0 || legs.has(sessionId)) return;
    await deleteLive(db, sessionId, leg.id).catch(onError);
    tell(sessionId);
  };
  const end = (sessionId: string) => {
    const leg = legs.get(sessionId);
    if (leg === undefined) return;
    leg.over = true;
    legs.delete(sessionId);
    void track(clear(sessionId, leg));
  };
  return {
    begin(sessionId, state) {
      end(sessionId);
      const id = crypto.randomUUID();
      legs.set(sessionId, { id, state, version: 0, changed: false, over: false, writing: undefined });
    },
    touch(sessionId) {
      const leg = legs.get(sessionId);
      if (leg === undefined) return;
      leg.changed = true;
      if (isRead(sessionId)) leg.writing ??= track(writeOn(sessionId, leg));
    },
    end,
    settled: async () => {
      for (const id of legs.keys()) end(id);
      await Promise.all(working);
    },
  };
}
