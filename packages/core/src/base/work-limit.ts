import type { Clock } from "./clock.ts";
import { PawlError } from "./errors.ts";
import { newWorkLine } from "./work-line.ts";
import { newWorkUsage, type WorkBounds, type WorkShare } from "./work-usage.ts";

/** A request for a place. */
export interface AskedWork {
  /** The user for whom the work is done. */
  userId: string;
  /** The bytes that the work will hold, as far as they are known. Default: 0. */
  bytes?: number;
  /** Gives the request up when it aborts. */
  signal?: AbortSignal | undefined;
  /** Set for work of a run that has begun: it waits as long as it takes, and comes first. */
  isOfRun?: boolean;
}

/** A place for work that has begun. It must be left in the end. */
export interface WorkPlace {
  /** Sets the number of bytes that the work holds. Never waits. */
  holds(bytes: number): void;
  /** Ends the work. Its bytes count until `leave()`, e.g. while a client reads them. */
  rest(): void;
  /** Gives the place back. Only the first call counts. */
  leave(): void;
}

/** A place that has room for bytes only. */
export interface HeldPlace extends WorkPlace {
  /** Waits until there is room for this many bytes in all. @throws PawlError `overloaded` */
  grow(bytes: number, signal?: AbortSignal): Promise<void>;
  /** Waits until the work may begin. */
  begin(signal?: AbortSignal): Promise<void>;
}

/**
 * Limits a kind of work in one process: how many are in progress at once, and how many bytes they hold. Work
 * beyond that waits, in the order in which it came; a user with half of everything waits alone.
 *
 * A place that has begun must never wait for another one of the same limit. One that grows may: it is refused
 * after a while, and its bytes are free then.
 */
export interface WorkLimit {
  /** Waits until work may begin. @throws PawlError `overloaded` */
  enter(asked: AskedWork): Promise<WorkPlace>;
  /** Waits until there is room for the bytes of work that begins later. @throws PawlError `overloaded` */
  hold(asked: AskedWork): Promise<HeldPlace>;
}

/** When a request that was refused may be sent again, in milliseconds. */
const RETRY_AFTER_MS = 5_000;

/**
 * Makes a limit of work.
 *
 * @param what the work, for the message of `overloaded`, e.g. "files"
 */
export function newWorkLimit(
  clock: Clock,
  what: string,
  { waitMs, ...bounds }: WorkBounds & { waitMs: number },
): WorkLimit {
  const usage = newWorkUsage(bounds);
  const refusal = () =>
    new PawlError("overloaded", `Too many ${what} are in use at once. Please try again in a moment.`, {
      details: { retryAfterMs: RETRY_AFTER_MS },
    });
  const line = newWorkLine({ clock, usage, waitMs, refusal });

  const place = async (
    { userId, bytes = 0, signal, isOfRun = false }: AskedWork,
    turn: boolean,
  ): Promise<HeldPlace> => {
    let share: WorkShare | undefined;
    let held = 0;
    const setHeld = (now: number) => {
      held = now;
      share?.holds(now);
    };
    const take = () => {
      share = usage.share(userId);
      setHeld(bytes);
      share.works(turn);
    };
    const need = { userId, bytes, turn, isOfRun };
    await line.wait({ need, take, rank: isOfRun ? "first" : "new", signal });
    const then = (change: () => void) => {
      change();
      line.admit();
    };
    return {
      holds: (now) => then(() => setHeld(now)),
      grow: (now, gone) =>
        line.wait({
          need: { ...need, bytes: now - held, turn: false, isGrowth: true },
          take: () => setHeld(now),
          rank: "growing",
          signal: gone,
        }),
      begin: (gone) =>
        line.wait({
          need: { ...need, bytes: undefined, turn: true },
          take: () => share?.works(true),
          rank: "first",
          signal: gone,
        }),
      rest: () => then(() => share?.works(false)),
      leave: () =>
        then(() => {
          share?.end();
          share = undefined;
        }),
    };
  };
  return { enter: (asked) => place(asked, true), hold: (asked) => place(asked, false) };
}
