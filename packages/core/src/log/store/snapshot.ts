/**
 * The state of a session after an event, as a cache beside its log: a leg that begins with it reads only the
 * events after it. A snapshot may be deleted at any time, because it can be computed from the log again.
 */
export interface Snapshot {
  /** The `SNAPSHOT_VERSION` of the code that wrote it. Code of another version ignores it. */
  version: string;
  /** `seq` of the last event that the state contains. */
  seq: number;
  /** The state as JSON text, in a form that only Pawl reads. */
  state: string;
}

/** The version of the snapshots that this code writes and reads. */
// Raise it with every change of the state that a log is folded into, and of the form in which a snapshot
// stores a state. `core/test/fold/snapshot.test.ts` compares both with those of a recorded log.
export const SNAPSHOT_VERSION = "8";
