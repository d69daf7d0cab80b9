import type { LiveState } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { pause } from "../listening/keep-listening.ts";
import { deleteLive, writeLive } from "./live-rows.ts";

/** Long answers are written less often: so many characters a millisecond, of one session. */
const PACE = 200;
/** How long nothing is written after a failure, in milliseconds. */
const RETRY_MS = 5_000;

/** Shows other processes what the legs of this one are doing. */
export interface LiveWriter {
  /** A leg has begun; its state is read whenever it is written. */
  begin(sessionId: string, state: LiveState): void;
  /** The state has changed, or somebody wants to see it. */
  touch(sessionId: string): void;
  end(sessionId: string): void;
  /** Resolves when nothing is being written any more. */
  settled(): Promise<void>;
}

interface Options {
  db: Database;
  /** The time between two writes of a session, in milliseconds. */
  everyMs: number;
  /** Whether anybody else reads it. */
  isRead(sessionId: string): boolean;
  /** Tells them. */
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

/** Writes at once, and then at most every `everyMs`, while something changes and somebody reads it. */
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
    // The next leg of the session writes over it.
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
