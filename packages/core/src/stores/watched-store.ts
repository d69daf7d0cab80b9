import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { wrapStore } from "./wrap-store.ts";

/**
 * Wraps a store and adds {@link EventStore.watch}, which reports every append made through the returned
 * store. Use this only if nothing else appends to the store: no other process, and no other object. Idle
 * readers then query the store once a minute instead of every `times.pollMs`. `memoryStore()` and
 * `embeddedStore()` have `watch` already.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { watchedStore } from "@pawl/core/store";
 *
 * const store = watchedStore(memoryStore()); // or e.g. postgresStore(pool), if one process serves all
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * const leave = store.watch?.("s1", (seq) => console.log(seq)); // 1
 * await store.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 * leave?.();
 * ```
 */
export function watchedStore(store: EventStore): EventStore {
  const { watch, appended } = appendWatchers();
  const wrapped = wrapStore(store);
  const { appendWith } = wrapped;
  /** Reports the events of an append once they are stored, and returns them. */
  const reported = async (sessionId: string, appending: Promise<readonly StoredEvent[]>) => {
    const rows = await appending;
    appended(sessionId, rows);
    return rows;
  };
  return {
    ...wrapped,
    append: (id, ...args) => reported(id, store.append(id, ...args)),
    ...(appendWith && { appendWith: (id, ...args) => reported(id, appendWith(id, ...args)) }),
    watch,
  };
}

/**
 * Implements {@link EventStore.watch} by a list of callbacks for each session. Call `appended` after every
 * append.
 */
export function appendWatchers() {
  const watchers = new Map<string, Set<(seq: number) => void>>();
  return {
    /** Calls the session's callbacks with the `seq` of the last event. */
    appended(sessionId: string, rows: readonly StoredEvent[]): void {
      const watching = watchers.get(sessionId);
      if (watching === undefined) return;
      const seq = rows.at(-1)?.seq ?? 0;
      for (const onAppend of watching) onAppend(seq);
    },
    watch(sessionId: string, onAppend: (seq: number) => void): () => void {
      const own = watchers.get(sessionId) ?? new Set();
      watchers.set(sessionId, own);
      // A function of its own, so that a callback that is added twice is called twice.
      const call = (seq: number) => onAppend(seq);
      own.add(call);
      return () => {
        own.delete(call);
        if (own.size === 0 && watchers.get(sessionId) === own) watchers.delete(sessionId);
      };
    },
  };
}
