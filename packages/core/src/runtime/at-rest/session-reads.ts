import { checkOptions, type OptionKinds, SIGNAL } from "../../base/check-options.ts";
import { newWorkLimit, type WorkLimit, type WorkPlace } from "../../base/work-limit.ts";
import type { Host } from "../leg/host.ts";

/** What is read for whom. */
export interface AskedRead {
  userId: string;
  sessionId: string;
  /** Whether only a part of the session is read, e.g. a page. Its size is remembered apart from the whole. */
  isPart?: boolean;
  /** Gives the request up when it aborts. */
  signal?: AbortSignal | undefined;
}

const OPTIONS: OptionKinds<AskedRead> = {
  userId: "string!",
  sessionId: "string!",
  isPart: "boolean",
  signal: SIGNAL,
};

/** How many sessions a process reads at the same time, and how many bytes of them it has. */
const SESSION_LIMITS = { atOnce: 8, bytes: 64_000_000, waitMs: 10_000 } as const;

/** The number of sessions whose size is remembered. */
const MOST_SIZES = 1_000;

/** The bytes of a session that has not been read before. */
const UNKNOWN_SIZE = 100_000;

interface Reads {
  limit: WorkLimit;
  /** The bytes that a session had when it was last read, by its id. Of a part, the id has a space behind. */
  sizes: Map<string, number>;
}

// Not in the host: most processes read no whole session, and this code is loaded late.
const readsOf = new WeakMap<Host, Reads>();

/** Waits until a session may be read whole. @throws PawlError `overloaded` */
export async function enterRead(host: Host, asked: AskedRead): Promise<WorkPlace> {
  checkOptions("enterRead()", asked, OPTIONS, { code: "invalid_input" });
  const { userId, sessionId, isPart = false, signal } = asked;
  const { limit, sizes } = readsOf.get(host) ?? newReads(host);
  const what = isPart ? `${sessionId} ` : sessionId;
  const bytes = sizes.get(what) ?? UNKNOWN_SIZE;
  const { holds, rest, leave } = await limit.enter({ userId, bytes, signal });
  return {
    holds: (now) => {
      sizes.delete(what);
      sizes.set(what, now);
      if (sizes.size > MOST_SIZES) sizes.delete(sizes.keys().next().value ?? "");
      holds(now);
    },
    rest,
    leave,
  };
}

/** Calls `read` in a place. */
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
