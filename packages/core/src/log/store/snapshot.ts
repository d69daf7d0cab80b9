/**
 * The state of a session after an event, as a cache beside its log: a leg that begins with it reads only the
 * events after it. The log stays the truth. A snapshot may be deleted at any time.
 */
export interface Snapshot {
  /** The version of the code that has written it. Other versions ignore it. */
  version: string;
  /** `seq` of the last event that it contains. */
  seq: number;
  /** The state as JSON text, in a form that only Pawl reads. */
  state: string;
}

/** The version of the snapshots that this code writes and reads. */
// Raise it with every change by which the fold of a log gives another state, or a state another snapshot.
// `core/test/fold/snapshot.test.ts` compares both with those of a recorded log.
export const SNAPSHOT_VERSION = "2";
