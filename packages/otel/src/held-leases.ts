import type { Session } from "@pawl/core";
import type { Lease, OpenedSession } from "@pawl/core/store";

/** How a session's open run was found when its lease was acquired. */
export interface FoundRun {
  /** Since when it could go on, in milliseconds since 1970 by the store's clock. */
  waitsSince: number;
  /** Whether a process worked on it and has not said that it leaves it. */
  isAbandoned: boolean;
}

/** The leases that this process holds. */
export interface HeldLeases {
  /** Returns how many there are. */
  count(): number;
  /** Notes a lease, and the session as it was opened if that is known. */
  take(lease: Lease, opened?: OpenedSession): void;
  /** Notes that a lease was released or lost, unless the session has another one by now. */
  drop(lease: Lease): void;
  /** Notes that the session's lease was released, whichever it was. */
  dropAny(sessionId: string): void;
  /** Returns how the open run was found. Only the first call for a lease returns it. */
  foundBy(lease: Lease): FoundRun | undefined;
}

/** Remembers which leases this process holds. */
export function heldLeases(): HeldLeases {
  const held = new Map<string, { epoch: number; found: FoundRun | undefined }>();
  return {
    count: () => held.size,
    take: ({ sessionId, epoch }, opened) => {
      held.set(sessionId, { epoch, found: opened && foundRun(opened) });
    },
    drop: ({ sessionId, epoch }) => {
      if (held.get(sessionId)?.epoch === epoch) held.delete(sessionId);
    },
    dropAny: (sessionId) => {
      held.delete(sessionId);
    },
    foundBy: ({ sessionId, epoch }) => {
      const lease = held.get(sessionId);
      if (lease?.epoch !== epoch) return undefined;
      const { found } = lease;
      lease.found = undefined;
      return found;
    },
  };
}

function foundRun(opened: OpenedSession): FoundRun | undefined {
  const since = waitsSince(opened.session);
  return since === undefined ? undefined : { waitsSince: since, isAbandoned: isAbandoned(opened) };
}

/**
 * Returns since when a session's open run could go on: since its last event, or since the time for which it
 * waited.
 */
export function waitsSince({ openRun, updatedAt, wakeAt }: Session): number | undefined {
  if (openRun === null) return undefined;
  const last = Date.parse(updatedAt);
  return wakeAt === null ? last : Math.max(last, Date.parse(wakeAt));
}

/** Events that a process stores while it works on a run. */
const WORK: ReadonlySet<string> = new Set(["llm_request", "tool_started", "run_recovered"]);

/** A run that has not begun was given away by the process that took its message. */
function isAbandoned({ session, events }: OpenedSession): boolean {
  const last = events.at(-1);
  if (last?.seq !== session.lastSeq) return true;
  const start = events.findLastIndex(({ type }) => type === "run_started");
  return last.type !== "run_left" && events.slice(start + 1).some(({ type }) => WORK.has(type));
}
