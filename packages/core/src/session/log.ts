import type { NewEvent, StoredEvent } from "../events/event.ts";
import type { EventStore, Lease } from "../events/event-store.ts";
import type { LiveTail } from "../events/live-tail.ts";
import { applyEvent } from "./apply.ts";
import { patchOf } from "./patch.ts";
import type { SessionState } from "./state.ts";

/** A leg's way into the log: one append at a time, each folded into the state when it is stored. */
export interface SessionLog {
  readonly state: SessionState;
  /**
   * Appends under the lease. With `atTip`, only if nothing was stored that the state does not know; on `conflict` the
   * state has caught up when the promise rejects.
   */
  append(
    events: readonly NewEvent[],
    options?: { atTip?: boolean; release?: boolean },
  ): Promise<readonly StoredEvent[]>;
  /** Folds in what others have stored. */
  catchUp(): Promise<void>;
}

/** Opens the log for one leg. `onEvent` sees every event that was not in `state` yet, in order. */
export function openLog(options: {
  store: EventStore;
  tail: LiveTail;
  state: SessionState;
  lease: Lease;
  newId(): string;
  onEvent(event: StoredEvent): void;
}): SessionLog {
  const { store, tail, state, lease, newId, onEvent } = options;
  const leg = newId();
  let appends = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  const take = (event: StoredEvent) => {
    applyEvent(state, event);
    onEvent(event);
  };
  const readNew = async (before = Number.POSITIVE_INFINITY) => {
    for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
      if (event.seq >= before) return;
      take(event);
    }
  };
  const append: SessionLog["append"] = (events, { atTip = false, release = false } = {}) =>
    inTurn(async () => {
      appends += 1;
      try {
        const rows = await store.append(state.sessionId, events, {
          appendId: `${leg}:${appends}`,
          lease,
          session: patchOf(events),
          ...(atTip && { afterSeq: state.lastSeq }),
          ...(release && { release }),
        });
        const first = rows[0]?.seq ?? 0;
        if (first > state.lastSeq + 1) await readNew(first);
        for (const row of rows) take(row);
        tail.stored(state.sessionId, state.lastSeq);
        return rows;
      } catch (error) {
        if (atTip) await readNew();
        throw error;
      }
    });
  return { state, append, catchUp: () => inTurn(() => readNew()) };
}
