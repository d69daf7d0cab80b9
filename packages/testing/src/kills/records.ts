/** An execution of a tool, as the tool itself has reported it. */
export interface StepRecord {
  worker: string;
  tool: string;
  sessionId: string;
  callId: string;
}

/** An append that a worker has made: the `seq` of its first event, and the epoch of its lease. */
export interface AppendRecord {
  worker: string;
  sessionId: string;
  seq: number;
  types: readonly string[];
  /** Absent for an append without a lease. */
  epoch?: number;
}

/** A session that a worker had when it was killed or frozen. */
export interface Orphan {
  by: "kill" | "freeze";
  worker: string;
  /** When the worker was killed or frozen, in milliseconds of `performance.now()`. */
  at: number;
}

/** Which worker holds each session, and which steps were done. */
export interface Records {
  readonly steps: StepRecord[];
  readonly appends: AppendRecord[];
  /** The workers in the middle of a step that must not be taken twice, once for each such step. */
  readonly paying: string[];
  /** How long sessions of killed and of frozen workers waited for the next worker, in milliseconds. */
  readonly takeovers: { readonly kill: number[]; readonly freeze: number[] };
  /** How long the engine took to give sessions of killed workers to another one, in milliseconds. */
  readonly redeliveries: number[];
  /** The sessions that the engine had given to a worker that was killed, and to no other one since. */
  readonly undelivered: ReadonlyMap<string, number>;
  /** How often a worker was refused because it had lost its lease. */
  refused: number;
  /** What must not have happened. */
  readonly faults: string[];
  /** The sessions that wait for the next worker. */
  readonly orphans: Map<string, Orphan>;
  /** Notes an append, and whether it has brought its run any further. */
  stored(append: AppendRecord): void;
  /** Notes that the engine has given a session to a worker. */
  given(worker: string, sessionId: string): void;
  /** Notes that a worker is done with a session that the engine has given it. */
  done(worker: string, sessionId: string): void;
  /** Notes that a worker has acquired a session's lease. */
  took(worker: string, sessionId: string, epoch: number): void;
  /** Notes that a worker has released a lease. */
  gave(sessionId: string, epoch: number): void;
  /** Returns the worker that was the last one to acquire a session's lease, unless it has released it. */
  ownerOf(sessionId: string): string | undefined;
  /**
   * Returns the sessions that a worker has; `undefined` if it should not be lost now. A run that loses its
   * worker again and again without getting any further is given up as `crash_loop`, as it should be.
   */
  victimsOf(worker: string): string[] | undefined;
  /** Notes that a worker's sessions wait for another one. */
  orphan(worker: string, by: Orphan["by"]): string[];
}

/**
 * How often a run may have been picked up without getting any further, so that its worker may still be lost.
 * Pawl gives up at the fourth time, and one lease more may be lost because the machine is slow.
 */
const MOST_RECOVERIES = 2;

/** The events that bring a run further. */
const PROGRESS: readonly string[] = ["assistant_message", "tool_result", "tool_suspended"];

/** Makes empty records. */
export function newRecords(now: () => number = () => performance.now()): Records {
  const owners = new Map<string, { worker: string; epoch: number; released: boolean }>();
  const orphans = new Map<string, Orphan>();
  const takeovers = { kill: [] as number[], freeze: [] as number[] };
  const appends: AppendRecord[] = [];
  const ownerOf = (sessionId: string) => {
    const owner = owners.get(sessionId);
    return owner?.released === false ? owner.worker : undefined;
  };
  const sessionsOf = (worker: string) => [...owners.keys()].filter((id) => ownerOf(id) === worker);
  /** The calls of each worker's handler, by session. Two workers may be called for one session. */
  const calls = new Map<string, Set<string>>();
  const undelivered = new Map<string, number>();
  const redeliveries: number[] = [];
  /** How often each run was picked up since it last got any further. */
  const recoveries = new Map<string, number>();
  return {
    steps: [],
    appends,
    paying: [],
    takeovers,
    redeliveries,
    undelivered,
    refused: 0,
    faults: [],
    orphans,
    stored: (append) => {
      appends.push(append);
      const { sessionId, types } = append;
      if (types.some((type) => PROGRESS.includes(type))) recoveries.delete(sessionId);
      else if (types.includes("run_recovered"))
        recoveries.set(sessionId, (recoveries.get(sessionId) ?? 0) + 1);
    },
    took: (worker, sessionId, epoch) => {
      // Reports of two workers may overtake each other, and epochs do not.
      if ((owners.get(sessionId)?.epoch ?? -1) >= epoch) return;
      owners.set(sessionId, { worker, epoch, released: false });
      const orphan = orphans.get(sessionId);
      if (orphan === undefined || orphan.worker === worker) return;
      orphans.delete(sessionId);
      takeovers[orphan.by].push(now() - orphan.at);
    },
    gave: (sessionId, epoch) => {
      const owner = owners.get(sessionId);
      if (owner?.epoch === epoch) owner.released = true;
    },
    given: (worker, sessionId) => {
      const lost = undelivered.get(sessionId);
      if (lost !== undefined) redeliveries.push(now() - lost);
      undelivered.delete(sessionId);
      calls.set(worker, (calls.get(worker) ?? new Set()).add(sessionId));
    },
    done: (worker, sessionId) => {
      calls.get(worker)?.delete(sessionId);
    },
    ownerOf,
    victimsOf: (worker) => {
      const ids = sessionsOf(worker);
      return ids.some((id) => (recoveries.get(id) ?? 0) >= MOST_RECOVERIES) ? undefined : ids;
    },
    orphan: (worker, by) => {
      const ids = sessionsOf(worker);
      const at = now();
      for (const id of ids) orphans.set(id, { by, worker, at });
      if (by === "kill") for (const id of calls.get(worker) ?? []) undelivered.set(id, at);
      return ids;
    },
  };
}
