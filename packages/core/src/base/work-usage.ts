/** What the places of a limit may use at the same time. One user gets at most half of each. */
export interface WorkBounds {
  /** The number of places whose work is in progress. */
  atOnce: number;
  /** The bytes that all places hold, also those whose work has not begun or has ended. */
  bytes: number;
}

/** What a request for a place needs. */
export interface WorkNeed {
  userId: string;
  /** The bytes to take; `undefined` if the place holds its bytes already. */
  bytes: number | undefined;
  /** Whether the work begins at once. Otherwise the place only takes bytes. */
  turn: boolean;
  /** Whether the work belongs to a run. If so, only bytes of work in progress reduce the room for it. */
  isOfRun: boolean;
  /** Whether a place that holds bytes asks for more. */
  isGrowth?: boolean;
}

/** What one place uses of a limit. */
export interface WorkShare {
  /** Sets how many bytes the place holds. They may exceed the limit; then nothing else begins. */
  holds(bytes: number): void;
  /** Sets whether the place's work is in progress. */
  works(isInProgress: boolean): void;
  /** Frees all that the place uses. */
  end(): void;
}

/** Counts how much of a limit is in use. */
export interface WorkUsage {
  /** Returns whether there is `enough` room, `none` under the limit, or `none of this user`'s half. */
  roomFor(need: WorkNeed): "enough" | "none" | "none of this user";
  /** Adds a place of a user. It uses nothing yet. */
  share(userId: string): WorkShare;
}

interface UserTotals {
  shares: number;
  inProgress: number;
  bytes: number;
}

/** Makes the counters of a limit. */
export function newWorkUsage({ atOnce, bytes: mostBytes }: WorkBounds): WorkUsage {
  const users = new Map<string, UserTotals>();
  const mostAtOnceOfUser = Math.max(1, Math.floor(atOnce / 2));
  const bytesOfUser = mostBytes / 2;
  let shares = 0;
  let inProgress = 0;
  /** The bytes of places whose work is in progress. */
  let bytesInProgress = 0;
  /** The bytes of all places. Of one user, at most half of the limit counts: more blocks only that user. */
  let countedBytes = 0;

  /** Returns whether the limit has room, for any user. */
  const hasRoom = ({ bytes, turn, isOfRun, isGrowth = false }: WorkNeed) => {
    if (turn && inProgress >= atOnce) return false;
    if (bytes === undefined) return true;
    if (isOfRun) return inProgress === 0 || bytesInProgress + bytes <= mostBytes;
    // A request without other places has room, however much it needs.
    const isAlone = shares === (isGrowth ? 1 : 0);
    return isAlone || countedBytes + Math.max(bytes, 1) <= mostBytes;
  };
  /** Returns whether the user's half has room. */
  const hasRoomForUser = ({ userId, bytes, turn, isOfRun, isGrowth = false }: WorkNeed) => {
    const own = users.get(userId);
    if (own === undefined || isOfRun || (isGrowth && own.shares === 1)) return true;
    if (turn && own.inProgress >= mostAtOnceOfUser) return false;
    return bytes === undefined || own.bytes + bytes <= bytesOfUser;
  };
  return {
    roomFor: (need) => {
      if (!hasRoomForUser(need)) return "none of this user";
      return hasRoom(need) ? "enough" : "none";
    },
    share: (userId) => {
      const own = users.get(userId) ?? { shares: 0, inProgress: 0, bytes: 0 };
      users.set(userId, own);
      own.shares += 1;
      shares += 1;
      let held = 0;
      let isWorking = false;
      const holds = (bytes: number) => {
        countedBytes -= Math.min(own.bytes, bytesOfUser);
        own.bytes += bytes - held;
        countedBytes += Math.min(own.bytes, bytesOfUser);
        if (isWorking) bytesInProgress += bytes - held;
        held = bytes;
      };
      const works = (isInProgress: boolean) => {
        if (isInProgress === isWorking) return;
        isWorking = isInProgress;
        const step = isInProgress ? 1 : -1;
        own.inProgress += step;
        inProgress += step;
        bytesInProgress += step * held;
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
