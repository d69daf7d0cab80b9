/** What a limit allows in one process at the same time. One user gets at most half of each. */
export interface WorkBounds {
  /** The number of works in progress. */
  atOnce: number;
  /** The bytes that they hold, and those that have ended. */
  bytes: number;
}

/** What a work needs of a limit before it may begin. */
export interface WorkNeed {
  userId: string;
  /** The bytes that it will hold; `undefined` if it holds them already. */
  bytes: number | undefined;
  /** Whether it needs a turn: it begins at once, and does not only hold bytes. */
  turn: boolean;
  /** Whether it belongs to a run that has begun. Bytes that wait for clients do not count then. */
  isOfRun: boolean;
  /** Whether a share that exists asks for more bytes. */
  isGrowth?: boolean;
}

/** The part of a limit that one work uses. */
export interface WorkShare {
  /** Sets the bytes that it holds. They may exceed the limit: nothing else begins then. */
  holds(bytes: number): void;
  /** Sets whether it is in progress. */
  works(isInProgress: boolean): void;
  /** Gives everything back. */
  end(): void;
}

/** Counts what is in use of a limit. */
export interface WorkUsage {
  /** Returns whether there is room; otherwise, whether the user or the limit itself has none. */
  roomFor(need: WorkNeed): "enough" | "none" | "none of this user";
  share(userId: string): WorkShare;
}

interface OfUser {
  shares: number;
  inProgress: number;
  bytes: number;
}

/** Makes the counters of a limit. */
export function newWorkUsage({ atOnce, bytes: mostBytes }: WorkBounds): WorkUsage {
  const users = new Map<string, OfUser>();
  const mostOfUser = Math.max(1, Math.floor(atOnce / 2));
  const bytesOfUser = mostBytes / 2;
  let shares = 0;
  let inProgress = 0;
  /** The bytes of works in progress. */
  let atWork = 0;
  /** All bytes. What a user holds above a user's half does not count, so that it blocks this user alone. */
  let counted = 0;

  const roomInAll = ({ bytes, turn, isOfRun, isGrowth = false }: WorkNeed) => {
    if (turn && inProgress >= atOnce) return false;
    if (bytes === undefined) return true;
    return isOfRun
      ? inProgress === 0 || atWork + bytes <= mostBytes
      : shares === (isGrowth ? 1 : 0) || counted + Math.max(bytes, 1) <= mostBytes;
  };
  const roomOf = ({ userId, bytes, turn, isOfRun, isGrowth = false }: WorkNeed) => {
    const own = users.get(userId);
    if (own === undefined || isOfRun || (isGrowth && own.shares === 1)) return true;
    if (turn && own.inProgress >= mostOfUser) return false;
    return bytes === undefined || own.bytes + bytes <= bytesOfUser;
  };
  return {
    roomFor: (need) => (roomOf(need) ? (roomInAll(need) ? "enough" : "none") : "none of this user"),
    share: (userId) => {
      const own = users.get(userId) ?? { shares: 0, inProgress: 0, bytes: 0 };
      users.set(userId, own);
      own.shares += 1;
      shares += 1;
      let held = 0;
      let isWorking = false;
      const holds = (bytes: number) => {
        counted -= Math.min(own.bytes, bytesOfUser);
        own.bytes += bytes - held;
        counted += Math.min(own.bytes, bytesOfUser);
        if (isWorking) atWork += bytes - held;
        held = bytes;
      };
      const works = (isInProgress: boolean) => {
        if (isInProgress === isWorking) return;
        isWorking = isInProgress;
        const one = isInProgress ? 1 : -1;
        own.inProgress += one;
        inProgress += one;
        atWork += one * held;
      };
      return {
        holds,
        works,
        end: () => {
          works(false);
          holds(0);
          shares -= 1;
          own.shares -= 1;
          if (own.shares === 0) users.delete(userId);
        },
      };
    },
  };
}
