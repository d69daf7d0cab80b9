import { counted } from "../../base/counted.ts";
import { snapshotOf } from "../../fold/snapshot.ts";
import { SNAPSHOT_VERSION } from "../../log/store/snapshot.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host } from "./host.ts";

/** How many events a log grows by before its next snapshot. */
const GROWTH = 200;

/**
 * The most characters of a snapshot's text. As many as the bytes of events that `open` returns. Converting a
 * longer text would block the process's other sessions.
 */
const MOST_SNAPSHOT_CHARS = 2_000_000;

/**
 * Keeps a snapshot of a session whose run has ended, if the log has grown enough since the snapshot at
 * `since`; 0 without one, `undefined` if the leg has not asked for it. Nobody waits for it. A failure is
 * reported and changes nothing.
 */
export function keepSnapshot(host: Host, state: SessionState, since: number | undefined): void {
  if (since === undefined || state.lastSeq - since < GROWTH) return;
  const { open, saveSnapshot } = host.store;
  if (open === undefined || saveSnapshot === undefined) return;
  const kept = save(host, state).catch((error: unknown) => host.report(error));
  // `drain()` waits for it.
  host.keepAlive(counted(host.reads, kept));
}

async function save({ store }: Host, state: SessionState): Promise<void> {
  const text = snapshotText(state);
  if (text === undefined) return;
  const snapshot = { version: SNAPSHOT_VERSION, seq: state.lastSeq, state: text };
  await store.saveSnapshot?.(state.sessionId, snapshot);
}

/** Returns the text of a state's snapshot; `undefined` if a run is open, or if the text would be too long. */
function snapshotText(state: SessionState): string | undefined {
  const chars = state.entries.reduce((sum, entry) => sum + entry.chars, 0);
  if (chars > MOST_SNAPSHOT_CHARS) return undefined;
  const snapshot = snapshotOf(state);
  if (snapshot === undefined) return undefined;
  const text = JSON.stringify(snapshot);
  return text.length > MOST_SNAPSHOT_CHARS ? undefined : text;
}
