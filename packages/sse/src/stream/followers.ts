import type { Closing } from "./event-stream.ts";

/**
 * How long a run continues without a reader before `onClientGone: "stop"` stops it, in milliseconds. Clients
 * that reconnect, or open their next stream after they have closed the last one, are back by then.
 */
export const GRACE_MS = 1_000;

/**
 * How long a run's next reader is awaited after a stream broke off, in milliseconds. The run goes on, and is
 * stopped once a reader that has come by then leaves.
 */
const BROKEN_MS = 60_000;

/** Counts the streams by which clients follow their sessions in this process. */
export interface Followers {
  /** Begins to count the stream of a user's request. */
  open(userId: string): Follower;
}

/** One request's stream. */
export interface Follower {
  /**
   * Aborts once no stream follows the session any more, to stop the run that the request begins or continues.
   * Absent if runs continue without readers.
   */
  readonly signal: AbortSignal | undefined;
  /**
   * Names the session. From then on, the stream counts. Call it before the run begins if another stream may
   * follow the session already. The session need not be the user's: only their own streams count together.
   * Only the first call counts.
   */
  follows(sessionId: string): void;
  /**
   * Ends the stream. Only the first call counts. A `broken` stream does not mean that its reader has left. A
   * request that is `refused`, or has no body in its response, never was a reader.
   */
  left(how: Closing | "refused"): void;
}

interface Followed {
  streams: number;
  /** How the last stream has closed that had a reader. */
  closed: Closing | undefined;
  control: AbortController;
  timer?: ReturnType<typeof setTimeout>;
}

const UNCOUNTED: Followers = {
  open: () => ({ signal: undefined, follows: () => undefined, left: () => undefined }),
};

/**
 * Counts streams by session, and stops runs whose clients have left. For `continue`, counts nothing and stops
 * no run.
 */
export function followers(onClientGone: "continue" | "stop" = "continue"): Followers {
  if (onClientGone === "continue") return UNCOUNTED;
  const sessions = new Map<string, Followed>();
  const leave = (key: string, followed: Followed) => {
    followed.streams -= 1;
    if (followed.streams > 0) return;
    const isBroken = followed.closed === "broken";
    const over = () => {
      sessions.delete(key);
      if (!isBroken && followed.closed !== undefined) followed.control.abort();
    };
    followed.timer = setTimeout(over, isBroken ? BROKEN_MS : GRACE_MS);
    // Nothing happens then, so it must not keep the process alive.
    if (isBroken) (followed.timer as { unref?(): void }).unref?.();
  };
  return {
    open(userId) {
      const own = new AbortController();
      let isOpen = true;
      let at: { key: string; followed: Followed } | undefined;
      return {
        get signal() {
          return (at?.followed.control ?? own).signal;
        },
        follows(sessionId) {
          if (!isOpen || at !== undefined) return;
          const key = JSON.stringify([userId, sessionId]);
          const followed = sessions.get(key) ?? { streams: 0, closed: undefined, control: own };
          clearTimeout(followed.timer);
          followed.streams += 1;
          sessions.set(key, followed);
          at = { key, followed };
        },
        left(how) {
          if (!isOpen) return;
          isOpen = false;
          if (at === undefined) return;
          if (how !== "refused") at.followed.closed = how;
          leave(at.key, at.followed);
        },
      };
    },
  };
}
