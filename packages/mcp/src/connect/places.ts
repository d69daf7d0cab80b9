/** A limited number of places for requests. Users take turns, and one user has at most half of the places. */
export interface Places {
  /**
   * Waits for a place. Resolves to the function that gives it back.
   *
   * @throws what `refusal` returns, if the signal aborts first or `waitMs` is over
   */
  take(userId: string, bounds: PlaceBounds): Promise<() => void>;
}

/** How long a request waits for a place. */
export interface PlaceBounds {
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Creates the error for a request that gets no place. */
  refusal(why: "time_up" | "aborted"): Error;
}

/** Makes `most` free places. If there is only one, a user may have it. */
export function newPlaces(most: number): Places {
  const share = Math.ceil(most / 2);
  /** The places that each user has. */
  const taken = new Map<string, number>();
  /** The requests that wait, by users. The user whose turn is next comes first. */
  const lines = new Map<string, Set<() => void>>();
  let free = most;

  const hasRoom = (userId: string) => free > 0 && (taken.get(userId) ?? 0) < share;

  function occupy(userId: string): () => void {
    free -= 1;
    taken.set(userId, (taken.get(userId) ?? 0) + 1);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      free += 1;
      const rest = (taken.get(userId) ?? 0) - 1;
      if (rest > 0) taken.set(userId, rest);
      else taken.delete(userId);
      admit();
    };
  }

  /** Lets the next request in, if there is room for one. */
  function admit(): void {
    for (const [userId, line] of lines) {
      if (!hasRoom(userId)) continue;
      const [enter] = line;
      // The user comes last, if there are more requests.
      lines.delete(userId);
      if (line.size > 1) lines.set(userId, line);
      if (enter === undefined) continue;
      line.delete(enter);
      enter();
      return;
    }
  }

  function leaveLine(userId: string, enter: () => void): void {
    const line = lines.get(userId);
    line?.delete(enter);
    if (line?.size === 0) lines.delete(userId);
  }

  return {
    take: (userId, { waitMs, signal, refusal }) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(refusal("aborted"));
        if (hasRoom(userId)) return resolve(occupy(userId));
        const cleanUp = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        const enter = () => {
          cleanUp();
          resolve(occupy(userId));
        };
        const giveUp = (why: "time_up" | "aborted") => {
          cleanUp();
          leaveLine(userId, enter);
          reject(refusal(why));
        };
        const onAbort = () => giveUp("aborted");
        const timer = setTimeout(() => giveUp("time_up"), waitMs);
        signal?.addEventListener("abort", onAbort, { once: true });
        lines.set(userId, (lines.get(userId) ?? new Set()).add(enter));
      }),
  };
}
