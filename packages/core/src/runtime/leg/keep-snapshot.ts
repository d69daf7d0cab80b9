import { SNAPSHOT_VERSION } from "../../log/snapshot.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host } from "./host.ts";

/** How many events a log grows by before its next snapshot. */
const GROWTH = 200;

/**
 * Keeps a snapshot of a session whose run has ended, if its log has grown enough since the last snapshot, at
 * `since` (0 without one). If `since` is unknown, keeps none. Nobody waits for it, and a failure does no harm.
 */
export function keepSnapshot(host: Host, state: SessionState, since: number | undefined): void {
  const { store } = host;
  if (store.saveSnapshot === undefined || since === undefined || state.lastSeq - since < GROWTH) return;
  const keep = async () => {
    const { snapshotOf } = await import("../../fold/snapshot.ts");
    const { sessionId, lastSeq: seq } = state;
    const written = snapshotOf(state);
    if (written !== undefined)
      await store.saveSnapshot?.(sessionId, { version: SNAPSHOT_VERSION, seq, state: written });
  };
  host.keepAlive(keep().catch(() => undefined));
}
