import type { Clock } from "./clock.ts";
import type { WorkNeed, WorkUsage } from "./work-usage.ts";

/** A request that waits for room under a limit. */
export interface Waiting {
  need: WorkNeed;
  /**
   * Takes the room. Called in the same tick in which the room was found, so that no other request gets it.
   */
  take(): void;
  /**
   * Which requests come first, in this order:
   *
   * - `first`: requests of runs, and places that hold all their bytes and wait to begin.
   * - `growing`: places that hold a part of the bytes that they need.
   * - `new`: all others.
   */
  rank: "first" | "growing" | "new";
  signal?: AbortSignal | undefined;
}

/** The requests that wait for room under a limit. */
export interface WorkLine {
  /** Resolves once the request has taken what it needs. Rejects with `refusal()`, or the signal's reason. */
  wait(waiting: Waiting): Promise<void>;
  /** Lets in the requests for which there is room now. Call it each time room may have become free. */
  admit(): void;
}

interface LineMaking {
  clock: Clock;
  usage: WorkUsage;
  /** How long a request waits at most, in milliseconds. Requests of runs have no time limit. */
  waitMs: number;
  /** Returns the error for a request that has waited for `waitMs`, or that finds too many others waiting. */
  refusal(): Error;
}

/** How many requests of the rank `new` wait at most: in all, and of one user. */
const MOST_WAITING = { inAll: 1_000, ofUser: 200 };

interface InLine {
  need: WorkNeed;
  /** Takes the room, and resolves the request's `wait()`. */
  enter(): void;
}

/** Makes an empty line. Requests enter in order, but pass one whose user has no room left. */
export function newWorkLine({ clock, usage, waitMs, refusal }: LineMaking): WorkLine {
  const lines = { first: [] as InLine[], growing: [] as InLine[], new: [] as InLine[] };

  /** Lets in requests of one rank. Returns whether there may be room for requests of the next rank. */
  const admitFrom = (line: InLine[]): boolean => {
    for (let index = 0; index < line.length; ) {
      const entry = line[index] as InLine;
      const room = usage.roomFor(entry.need);
      // The requests behind it wait too. Otherwise one that needs much room might wait forever.
      if (room === "none") return false;
      if (room === "none of this user") index += 1;
      else {
        line.splice(index, 1);
        entry.enter();
      }
    }
    return true;
  };
  const admit = () => {
    if (admitFrom(lines.first) && admitFrom(lines.growing)) admitFrom(lines.new);
  };
  const isTooLong = (line: InLine[], userId: string) =>
    line === lines.new &&
    (line.length > MOST_WAITING.inAll ||
      line.filter(({ need }) => need.userId === userId).length > MOST_WAITING.ofUser);

  const wait = ({ need, take, rank, signal }: Waiting): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const line = lines[rank];
      let cancel: () => void = () => undefined;
      const cleanUp = () => {
        cancel();
        signal?.removeEventListener("abort", onAbort);
      };
      const giveUp = (error: unknown) => {
        line.splice(line.indexOf(entry), 1);
        cleanUp();
        reject(error);
        admit();
      };
      const onAbort = () => giveUp(signal?.reason);
      const entry: InLine = {
        need,
        enter: () => {
          take();
          cleanUp();
          resolve();
        },
      };
      line.push(entry);
      admit();
      const hasEntered = !line.includes(entry);
      if (hasEntered) return;
      if (isTooLong(line, need.userId)) return giveUp(refusal());
      signal?.addEventListener("abort", onAbort, { once: true });
      if (!need.isOfRun) cancel = clock.after(waitMs, () => giveUp(refusal()));
    });
  return { wait, admit };
}
