import type { Clock } from "./clock.ts";
import type { WorkNeed, WorkUsage } from "./work-usage.ts";

/** A request that waits for its turn. */
export interface Waiting {
  need: WorkNeed;
  /** Takes what it needs. Nothing is awaited before, so nobody else gets it. */
  take(): void;
  /**
   * Its place in the order. `first`: nothing else would ever free what it holds, or it is of a run.
   * `growing`: it holds a part of what it needs.
   */
  rank: "first" | "growing" | "new";
  signal?: AbortSignal | undefined;
}

/** The line of those who wait for a limit. */
export interface WorkLine {
  /** Resolves once the request has taken what it needs. Rejects with `refusal()`, or the signal's reason. */
  wait(waiting: Waiting): Promise<void>;
  /** Begins the works that have room now. Call it each time that something was given back. */
  admit(): void;
}

interface LineMaking {
  clock: Clock;
  usage: WorkUsage;
  /** How long a request waits, in milliseconds. */
  waitMs: number;
  /** Returns the error for a request that has waited for so long, or that finds too many before it. */
  refusal(): Error;
}

/** How many wait at most, in all and of one user. */
const MOST_WAITING = { inAll: 1_000, ofUser: 200 };

interface InLine {
  need: WorkNeed;
  enter(): void;
}

/** Makes a line in which everybody waits in order. Only those whose user has a share already are passed. */
export function newWorkLine({ clock, usage, waitMs, refusal }: LineMaking): WorkLine {
  const lines = { first: [] as InLine[], growing: [] as InLine[], new: [] as InLine[] };

  const admitFrom = (line: InLine[]): boolean => {
    for (let at = 0; at < line.length; ) {
      const one = line[at] as InLine;
      const room = usage.roomFor(one.need);
      // Those behind it wait too, or one that needs much would never get its turn.
      if (room === "none") return false;
      if (room === "none of this user") at += 1;
      else {
        line.splice(at, 1);
        one.enter();
      }
    }
    return true;
  };
  const admit = () => {
    if (admitFrom(lines.first) && admitFrom(lines.growing)) admitFrom(lines.new);
  };
  const isLong = (line: InLine[], userId: string) =>
    line === lines.new &&
    (line.length > MOST_WAITING.inAll ||
      line.filter(({ need }) => need.userId === userId).length > MOST_WAITING.ofUser);

  const wait = ({ need, take, rank, signal }: Waiting): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const line = lines[rank];
      let cancel: () => void = () => undefined;
      const end = () => {
        cancel();
        signal?.removeEventListener("abort", abort);
      };
      const leave = (error: unknown) => {
        line.splice(line.indexOf(one), 1);
        end();
        reject(error);
        admit();
      };
      const abort = () => leave(signal?.reason);
      const one: InLine = {
        need,
        enter: () => {
          take();
          end();
          resolve();
        },
      };
      line.push(one);
      admit();
      if (!line.includes(one)) return;
      if (isLong(line, need.userId)) return leave(refusal());
      signal?.addEventListener("abort", abort, { once: true });
      if (!need.isOfRun) cancel = clock.after(waitMs, () => leave(refusal()));
    });
  return { wait, admit };
}
