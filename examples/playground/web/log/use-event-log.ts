import { useEffect, useMemo, useSyncExternalStore } from "react";
import { createEventLog, type EventLog, type LogState } from "./event-log.ts";

/** Returns the log of the agent at `url`, and the store to which its events are added. */
export function useEventLog(url: string): { log: LogState; store: EventLog } {
  const store = useMemo(() => createEventLog(url), [url]);
  const log = useSyncExternalStore(store.subscribe, store.getState);
  return { log, store };
}

/** Loads the events that were stored before the page was opened. `cursor` is the last event of the view. */
// It loads them also while the log is closed, because the agents' faces show what happened in the whole
// conversation. So the pages of messages save rendering in the playground, and no bytes.
export function useWholeLog(store: EventLog, sessionId: string | undefined, cursor: number): void {
  useEffect(() => {
    // A failed load is retried with the next event.
    if (sessionId !== undefined) store.complete(sessionId, cursor).catch(() => undefined);
  }, [store, sessionId, cursor]);
}
