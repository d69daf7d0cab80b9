import type { Clock } from "./clock.ts";
import { PawlError } from "./errors.ts";
import { newWorkLine } from "./work-line.ts";
import { newWorkUsage, type WorkBounds, type WorkShare } from "./work-usage.ts";

/** A request for a place under a {@link WorkLimit}. */
export interface AskedWork {
  /** The user for whom the work is done. */
  userId: string;
  /** How many bytes the work will hold in memory, if known. Default: 0. */
  bytes?: number;
  /** Cancels the request when it aborts while the request waits. */
  signal?: AbortSignal | undefined;
  /** Set for work of a run in progress. The request then comes first, and waits without a time limit. */
  isOfRun?: boolean;
}

/** A place for work that has begun. Call `leave()` in the end. */
export interface WorkPlace {
  /** Sets the number of bytes that the work holds. Never waits. */
  holds(bytes: number): void;
  /** Reports that the work has ended. Its bytes count until `leave()`, e.g. while a client reads them. */
  rest(): void;
  /** Gives the place back. Only the first call counts. */
  leave(): void;
}

/** A place whose work has not begun. Until `begin()`, it only holds bytes. */
export interface HeldPlace extends WorkPlace {
  /** Waits until the place may hold this many bytes in all. @throws PawlError `overloaded` */
  grow(bytes: number, signal?: AbortSignal): Promise<void>;
  /** Waits until the work may begin. @throws PawlError `overloaded` */
  begin(signal?: AbortSignal): Promise<void>;
}

/**
 * Limits one kind of work in a process: how many places are in use at once, and how many bytes they hold.
 * Further requests wait in the order of their arrival. A user who has half of a limit waits for it without
 * delaying other users.
 *
 * Work that has begun must not wait for another place of the same limit, because both could wait forever. A
 * place that calls `grow()` may wait: the call is refused after `waitMs`, and the place can then be left.
 */
export interface WorkLimit {
  /** Waits until work may begin. @throws PawlError `overloaded` */
  enter(asked: AskedWork): Promise<WorkPlace>;
  /** Waits until there is room for the bytes of work that will begin later. @throws PawlError `overloaded` */
  hold(asked: AskedWork): Promise<HeldPlace>;
}

/** After how many milliseconds a client may repeat a request that was refused. */
const RETRY_AFTER_MS = 5_000;

/**
 * Makes a limit of work.
 *
 * @param noun names the work in the message of `overloaded`, e.g. "files"
 */
export function newWorkLimit(
  clock: Clock,
  noun: string,
  { waitMs, ...bounds }: WorkBounds & { waitMs: number },
): WorkLimit {
  const usage = newWorkUsage(bounds);
  const refusal = () =>
    new PawlError("overloaded", `Too many ${noun} are in use at once. Please try again in a moment.`, {
      details: { retryAfterMs: RETRY_AFTER_MS },
    });
  const line = newWorkLine({ clock, usage, waitMs, refusal });

  /** Waits for a place. `begins`: its work begins at once. */
  const waitForPlace = async (
    { userId, bytes = 0, signal, isOfRun = false }: AskedWork,
    begins: boolean,
  ): Promise<HeldPlace> => {
    let share: WorkShare | undefined;
    let held = 0;
    const setHeld = (heldNow: number) => {
      held = heldNow;
      share?.holds(heldNow);
    };
    const take = () => {
      share = usage.share(userId);
      setHeld(bytes);
      share.works(begins);
    };
    const need = { userId, bytes, turn: begins, isOfRun };
    await line.wait({ need, take, rank: isOfRun ? "first" : "new", signal });
    /** Makes a change that may free room, and lets requests in. */
    const free = (change: () => void) => {
      change();
      line.admit();
    };
    return {
      holds: (bytesNow) => free(() => setHeld(bytesNow)),
      grow: (bytesNow, waitSignal) =>
        line.wait({
          need: { ...need, bytes: bytesNow - held, turn: false, isGrowth: true },
          take: () => setHeld(bytesNow),
          rank: "growing",
          signal: waitSignal,
        }),
      begin: (waitSignal) =>
        line.wait({
          need: { ...need, bytes: undefined, turn: true },
          take: () => share?.works(true),
          rank: "first",
          signal: waitSignal,
        }),
      rest: () => free(() => share?.works(false)),
      leave: () =>
        free(() => {
          share?.end();
          share = undefined;
        }),
    };
  };
  return { enter: (asked) => waitForPlace(asked, true), hold: (asked) => waitForPlace(asked, false) };
}
