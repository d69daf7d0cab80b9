import { systemClock, type Tool } from "@pawl/core";
import { raced } from "./attempts.ts";

/** A list of tools that was read from a server. */
export interface ReadList {
  tools: Tool<never>[];
  etag: string | undefined;
}

/** Reads a list; `undefined` if it is still the one with this `etag`. */
export type ReadAgain = (etag: string | undefined) => Promise<ReadList | undefined>;

interface Kept extends ReadList {
  freshUntil: number;
}

/** The lists of tools that a process caches. */
export interface ToolLists {
  /**
   * Returns the list under a key. It is read if it is missing or too old. Callers that arrive
   * during a request wait for the same one. If the server cannot be reached, an old list is used.
   *
   * @param asker whose credentials the request has; others do not wait for it
   */
  get(key: string, asker: string, signal: AbortSignal, read: ReadAgain): Promise<Tool<never>[]>;
  /** Makes the next `get()` read the list again. */
  expire(key: string): void;
}

const MOST_LISTS = 1_000;

/** How long an old list is used before a server that is down is asked again. */
const DOWN_MS = 5_000;

/** @param isDown returns whether an error means that the server cannot be reached now */
export function toolLists(cacheMs: number, isDown: (error: unknown) => boolean): ToolLists {
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<Tool<never>[]>>();
  const keep = (key: string, list: ReadList, forMs: number): Tool<never>[] => {
    kept.delete(key);
    kept.set(key, { ...list, freshUntil: systemClock.now() + forMs });
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_LISTS) break;
      kept.delete(oldest);
    }
    return list.tools;
  };
  const refresh = async (key: string, read: ReadAgain): Promise<Tool<never>[]> => {
    const old = kept.get(key);
    try {
      const list = (await read(old?.etag)) ?? old;
      return list === undefined ? [] : keep(key, list, cacheMs);
    } catch (error) {
      if (old !== undefined && isDown(error)) return keep(key, old, Math.min(cacheMs, DOWN_MS));
      kept.delete(key);
      throw error;
    }
  };
  const begin = (key: string, asker: string, read: ReadAgain): Promise<Tool<never>[]> => {
    const flight = refresh(key, read).finally(() => reading.delete(asker));
    reading.set(asker, flight);
    return flight;
  };
  return {
    get: async (key, asker, signal, read) => {
      const own = kept.get(key);
      if (own !== undefined && systemClock.now() < own.freshUntil) return own.tools;
      const joined = reading.get(asker);
      try {
        if (joined !== undefined) return await raced(signal, joined);
      } catch {
        // The other run's token may have expired, and this one's not.
        signal.throwIfAborted();
      }
      return await raced(signal, reading.get(asker) ?? begin(key, asker, read));
    },
    expire: (key) => {
      const own = kept.get(key);
      if (own !== undefined) own.freshUntil = 0;
    },
  };
}
