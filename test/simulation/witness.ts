import type { EventStore, Session, StoredEvent } from "@pawl/core";
import type { AppendOptions, Lease } from "@pawl/core/store";
import type { Machine } from "./machine.ts";
import type { Timeline } from "./timeline.ts";

/** What the witness knows of one session. It keeps its own account of leases, and asks no code under test. */
export interface Watched {
  row: Session;
  lease: (Lease & { expiresAt: number; machine: Machine; hasStored: boolean }) | undefined;
  epoch: number;
  /** The machine of each epoch. */
  readonly machines: Machine[];
  /** Since when nobody has tried to continue the run, although it waits for a process. */
  idleSince: number | undefined;
  /** Since when the run waits for a process. */
  waitsSince: number | undefined;
  /** When calls of the store for this session have failed, within the longest pause of sweeps. */
  failures: number[];
  appendedAt: number;
}

/** Sees all that the store does, and the work outside of it. Collects what must not happen. */
export interface Witness {
  readonly faults: string[];
  readonly trace: string[];
  readonly sessions: ReadonlyMap<string, Watched>;
  /** The longest time for which a run was left alone in a calm fleet, in milliseconds. */
  readonly longestIdleMs: number;
  readonly takeovers: number;
  readonly fencedAppends: number;
  note(line: string): void;
  fault(what: string): void;
  asked(sessionId: string): void;
  failed(sessionId: string | undefined): void;
  granted(machine: Machine, lease: Lease, ttlMs: number): void;
  renewed(machine: Machine, lease: Lease, ttlMs: number, isHeld: boolean): void;
  released(lease: Lease): void;
  appended(
    machine: Machine,
    sessionId: string,
    rows: readonly StoredEvent[],
    options: AppendOptions,
  ): Promise<void>;
  refused(): void;
  /** Looks for runs that nobody continues. Call it often. */
  look(limits: Limits): void;
}

/** Times in milliseconds. */
interface Limits {
  /** Since when the fleet should work as promised, on the timeline. */
  calmSince: number;
  /** The longest time without an attempt to continue a run that waits for a process. */
  idleMs: number;
  /** The longest time for which a run may wait for a process. */
  waitMs: number;
  leaseTtlMs: number;
}

interface WitnessOptions {
  storeNow(): number;
  isExclusive: boolean;
  /** Called for each stored event. */
  onStored(event: StoredEvent): void;
}

/** How long a live lease may go without an append, in milliseconds. No model or tool takes half of that. */
const LONGEST_SILENCE_MS = 10 * 60_000;

/** The longest pause of sweeps before a session that could not be recovered is tried again. */
const LONGEST_PAUSE_MS = 10 * 60_000;

export function newWitness(
  timeline: Timeline,
  store: EventStore,
  { storeNow, isExclusive, onStored }: WitnessOptions,
): Witness {
  const sessions = new Map<string, Watched>();
  const counts = { longestIdleMs: 0, takeovers: 0, fencedAppends: 0 };
  const faults: string[] = [];
  const trace: string[] = [];
  const time = () => ((timeline.now() % 86_400_000) / 1_000).toFixed(3);
  const note = (line: string) => {
    trace.push(`${time()} ${line}`);
    if (trace.length > 200_000) trace.splice(0, 100_000);
  };
  const fault = (what: string) => {
    faults.push(`${time()} ${what}`);
    note(`FAULT ${what}`);
  };
  const isLive = ({ lease }: Watched) => lease !== undefined && lease.expiresAt > storeNow();
  const isCurrent = (watched: Watched | undefined, { holder, epoch }: Lease) =>
    watched?.lease !== undefined && watched.lease.epoch === epoch && watched.lease.holder === holder;
  const of = (sessionId: string): Watched => {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    const now = timeline.now();
    const row = { openRun: null } as Session;
    const made: Watched = {
      row,
      lease: undefined,
      epoch: 0,
      machines: [],
      idleSince: undefined,
      waitsSince: undefined,
      failures: [],
      appendedAt: now,
    };
    sessions.set(sessionId, made);
    return made;
  };
  const checkWriter = (machine: Machine, sessionId: string, rows: readonly StoredEvent[], lease: Lease) => {
    const watched = of(sessionId);
    const what = `${sessionId}: ${machine.name} stored ${rows.map(({ type }) => type).join(" ")}`;
    if (!isCurrent(watched, lease)) fault(`${what} under epoch ${lease.epoch}, which is not current`);
    else if (watched.machines[lease.epoch] !== machine) fault(`${what} under the lease of another machine`);
  };
  return {
    faults,
    trace,
    sessions,
    get longestIdleMs() {
      return counts.longestIdleMs;
    },
    get takeovers() {
      return counts.takeovers;
    },
    get fencedAppends() {
      return counts.fencedAppends;
    },
    note,
    fault,
    asked: (sessionId) => {
      const watched = sessions.get(sessionId);
      if (watched?.idleSince !== undefined) watched.idleSince = timeline.now();
    },
    failed: (sessionId) => {
      if (sessionId !== undefined) of(sessionId).failures.push(timeline.now());
    },
    granted: (machine, lease, ttlMs) => {
      const watched = of(lease.sessionId);
      note(`${lease.sessionId} lease ${lease.epoch} to ${machine.name} (${lease.holder})`);
      if (lease.epoch <= watched.epoch)
        fault(`${lease.sessionId}: epoch ${lease.epoch} comes after ${watched.epoch}`);
      const before = watched.lease;
      if (before !== undefined && isLive(watched)) {
        // The holder that opens a session again, because it did not get the answer, has stored nothing yet.
        const isSame = before.holder === lease.holder && before.machine === machine && !before.hasStored;
        if (!isSame && !(isExclusive && before.holder === lease.holder))
          fault(
            `${lease.sessionId}: ${machine.name} has the lease while that of ${before.machine.name} is live`,
          );
      }
      if (before !== undefined && before.machine !== machine) counts.takeovers += 1;
      watched.epoch = lease.epoch;
      watched.machines[lease.epoch] = machine;
      watched.lease = { ...lease, machine, expiresAt: storeNow() + ttlMs, hasStored: false };
      watched.appendedAt = timeline.now();
    },
    renewed: (machine, lease, ttlMs, isHeld) => {
      const watched = of(lease.sessionId);
      if (isHeld && !isCurrent(watched, lease))
        fault(`${lease.sessionId}: ${machine.name} renewed epoch ${lease.epoch}, which is not current`);
      if (isHeld && watched.lease !== undefined) watched.lease.expiresAt = storeNow() + ttlMs;
    },
    released: (lease) => {
      const watched = of(lease.sessionId);
      if (isCurrent(watched, lease)) watched.lease = undefined;
    },
    appended: async (machine, sessionId, rows, options) => {
      const watched = of(sessionId);
      const isNew = (rows[0]?.seq ?? 0) > (watched.row.lastSeq ?? 0);
      const types = rows.map(({ type }) => type).join(" ");
      note(`${sessionId} ${machine.name} ${isNew ? "stored" : "repeated"} ${rows[0]?.seq} ${types}`);
      if (!isNew) return;
      if (options.lease !== undefined) checkWriter(machine, sessionId, rows, options.lease);
      if (options.lease !== undefined && watched.lease !== undefined) watched.lease.hasStored = true;
      if (options.release === true) watched.lease = undefined;
      watched.appendedAt = timeline.now();
      watched.row = (await store.sessions.get(sessionId)) as Session;
      rows.forEach(onStored);
    },
    refused: () => {
      counts.fencedAppends += 1;
    },
    look: (limits) => {
      const at = new Date(storeNow()).toISOString();
      for (const [id, watched] of sessions) {
        if (watched.row.openRun === null || faults.length > 0) continue;
        const isHeld = isLive(watched);
        const found = lookAt(watched, isHeld, at, timeline.now(), limits);
        if (found !== undefined) fault(`${id}: ${found}`);
        if (watched.idleSince === undefined || watched.failures.length > 0) continue;
        const idle = timeline.now() - Math.max(watched.idleSince, limits.calmSince);
        counts.longestIdleMs = Math.max(counts.longestIdleMs, idle);
      }
    },
  };
}

/** Notes since when a run waits, and returns what is wrong with that. */
function lookAt(
  watched: Watched,
  isHeld: boolean,
  at: string,
  now: number,
  { calmSince, idleMs, waitMs, leaseTtlMs }: Limits,
): string | undefined {
  const isWaiting = !isHeld && isForProcess(watched.row, at);
  watched.idleSince = isWaiting ? (watched.idleSince ?? now) : undefined;
  watched.waitsSince = isWaiting ? (watched.waitsSince ?? now) : undefined;
  watched.failures = watched.failures.filter((failedAt) => now - failedAt < LONGEST_PAUSE_MS);
  const since = (time: number | undefined) => (time === undefined ? 0 : now - Math.max(time, calmSince));
  if (isHeld && since(watched.appendedAt) > LONGEST_SILENCE_MS)
    return `${watched.lease?.machine.name} holds the lease and stores nothing`;
  if (since(watched.waitsSince) > waitMs) return `the run waits for a process since ${waitMs} ms`;
  const { length } = watched.failures;
  // A sweep doubles its pause with each failure.
  const pauseMs = length === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, leaseTtlMs * 2 ** length);
  if (since(watched.idleSince) <= idleMs + pauseMs) return undefined;
  return `a lost wake, nobody has tried to continue the run for ${Math.round(since(watched.idleSince))} ms`;
}

/** Whether the session's run waits for nothing but a process, by the contract of `listRecoverable`. */
// Written anew, so that a mistake in the store's own rule is found.
function isForProcess({ openRun, status, pending, wakeAt }: Session, at: string): boolean {
  if (openRun === null) return false;
  if (wakeAt !== null) return wakeAt <= at;
  return status !== "suspended" || pending <= 0;
}
