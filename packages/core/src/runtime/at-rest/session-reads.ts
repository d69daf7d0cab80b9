import { checkOptions, type OptionKinds, SIGNAL } from "../../base/check-options.ts";
import { newWorkLimit, type WorkLimit, type WorkPlace } from "../../base/work-limit.ts";
import type { Host } from "../leg/host.ts";

/** A request to read a session, whole or in part. */
export interface AskedRead {
  userId: string;
  sessionId: string;
  /** Whether only a part of the session is read, e.g. a page. Default: `false`, the whole session. */
  isPart?: boolean;
  /** Ends the wait for a place when it aborts. */
  signal?: AbortSignal | undefined;
}

const OPTIONS: OptionKinds<AskedRead> = {
  userId: "string!",
  sessionId: "string!",
  isPart: "boolean",
  signal: SIGNAL,
};

/** The default limits: sessions that are read at once, their bytes in memory, and the longest wait. */
const SESSION_LIMITS = { atOnce: 8, bytes: 64_000_000, waitMs: 10_000 } as const;

/** The most sizes that are remembered. */
const MOST_SIZES = 1_000;

/** The bytes with which a session counts that has not been read before. */
const UNKNOWN_SIZE = 100_000;

interface Reads {
  limit: WorkLimit;
  /** The bytes of each session when it was last read, by its id. For a part, a space follows the id. */
  sizes: Map<string, number>;
}

// Not a field of the host: most processes read no whole session, so this code is loaded when it is needed.
const readsOf = new WeakMap<Host, Reads>();

/** Waits for a place in which a session may be read, whole or in part. @throws PawlError `overloaded` */
export async function enterRead(host: Host, asked: AskedRead): Promise<WorkPlace> {
  checkOptions("enterRead()", asked, OPTIONS, { code: "invalid_input" });
  const { userId, sessionId, isPart = false, signal } = asked;
  const { limit, sizes } = readsOf.get(host) ?? newReads(host);
  const key = isPart ? `${sessionId} ` : sessionId;
  const bytes = sizes.get(key) ?? UNKNOWN_SIZE;
  const { holds, rest, leave } = await limit.enter({ userId, bytes, signal });
  return {
    holds: (size) => {
      // Moves the key to the end, so that the first one is that of the session which was read longest ago.
      sizes.delete(key);
      sizes.set(key, size);
      if (sizes.size > MOST_SIZES) sizes.delete(sizes.keys().next().value ?? "");
      holds(size);
    },
    rest,
    leave,
  };
}

/** Waits for a place, and holds it while `read` runs. @throws PawlError `overloaded` */
export async function withinRead<T>(host: Host, asked: AskedRead, read: () => Promise<T>): Promise<T> {
  const place = await enterRead(host, asked);
  try {
    return await read();
  } finally {
    place.leave();
  }
}

function newReads(host: Host): Reads {
  const { clock, workLimits: { sessions, sessionBytes, waitMs } = {} } = host;
  const limit = newWorkLimit(clock, "sessions", {
    atOnce: sessions ?? SESSION_LIMITS.atOnce,
    bytes: sessionBytes ?? SESSION_LIMITS.bytes,
    waitMs: waitMs ?? SESSION_LIMITS.waitMs,
  });
  const reads = { limit, sizes: new Map<string, number>() };
  readsOf.set(host, reads);
  return reads;
}
