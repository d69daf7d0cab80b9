import type { SessionEvent, StoredEvent } from "@pawl/core";

/** The events that the page has read. */
export interface LogState {
  /** The stored events, ordered by `seq`. Without gaps once `complete()` has resolved. */
  events: readonly StoredEvent[];
  /** The number of live events (which are not stored) since the last stored event, by type. */
  live: Readonly<Record<string, number>>;
  /** The name of the tool whose input the model is writing. */
  writes?: string;
}

/** Collects the events of the open session. */
export interface EventLog {
  getState(): LogState;
  subscribe(listener: () => void): () => void;
  push(event: SessionEvent): void;
  /** Loads the stored events up to `cursor` that the page does not have yet. */
  complete(sessionId: string, cursor: number): Promise<void>;
  clear(): void;
}

const EMPTY: LogState = { events: [], live: {} };

/**
 * Creates an empty event log.
 *
 * @param url the base URL of the agent's routes
 */
export function createEventLog(url: string): EventLog {
  const listeners = new Set<() => void>();
  let state = EMPTY;
  let shown = EMPTY;
  let generation = 0;
  let loading = false;
  let isDue = false;
  const show = (): void => {
    isDue = false;
    shown = state;
    for (const listener of listeners) listener();
  };
  // Renders once per frame, because deltas arrive faster than that.
  const change = (next: LogState): void => {
    state = next;
    if (!isDue) requestAnimationFrame(show);
    isDue = true;
  };
  return {
    getState: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    push: (event) => change(withEvent(state, event)),
    complete: async (sessionId, cursor) => {
      if (loading || state.events.length >= cursor) return;
      const asked = generation;
      loading = true;
      try {
        const response = await fetch(`${url}/sessions/${encodeURIComponent(sessionId)}/events`);
        if (!response.ok) return;
        const { events } = (await response.json()) as { events: StoredEvent[] };
        if (asked === generation) change({ ...state, events: merged(events, state.events) });
      } finally {
        if (asked === generation) loading = false;
      }
    },
    clear: () => {
      generation += 1;
      loading = false;
      change(EMPTY);
    },
  };
}

function withEvent(state: LogState, event: SessionEvent): LogState {
  if ("seq" in event) return { events: merged(state.events, [event]), live: {} };
  const live = { ...state.live, [event.type]: (state.live[event.type] ?? 0) + 1 };
  return { ...state, live, ...(event.type === "tool_input_delta" && { writes: event.data.tool_name }) };
}

function merged(one: readonly StoredEvent[], other: readonly StoredEvent[]): StoredEvent[] {
  const last = one.at(-1)?.seq ?? 0;
  if (other.every(({ seq }) => seq > last)) return [...one, ...other];
  const bySeq = new Map([...one, ...other].map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
