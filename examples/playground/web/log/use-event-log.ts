import { useEffect, useMemo, useSyncExternalStore } from "react";
import { createEventLog, type EventLog, type LogState } from "./event-log.ts";

/** The log of the agent at `url`: its state, and the store to push events to. */
export function useEventLog(url: string): { log: LogState; store: EventLog } {
  const store = useMemo(() => createEventLog(url), [url]);
  const log = useSyncExternalStore(store.subscribe, store.getState);
  return { log, store };
}

/**
 * Reads the part of the log that was there before the page listened. `cursor` is how far the view has come.
 */
export function useWholeLog(store: EventLog, sessionId: string | undefined, cursor: number): void {
  useEffect(() => {
    // A load that fails is tried again with the next event.
    if (sessionId !== undefined) store.complete(sessionId, cursor).catch(() => undefined);
  }, [store, sessionId, cursor]);
}
