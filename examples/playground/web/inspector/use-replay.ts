import type { StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewState } from "@pawl/core/view";
import { useCallback, useMemo, useState } from "react";

/** An earlier state of the conversation. */
export interface Replay {
  /** How many events of the log are shown. `undefined`: all events, and new ones as they arrive. */
  at: number | undefined;
  /** The number of events in the log. */
  length: number;
  /** The view of the first `at` events. */
  view: ViewState | undefined;
  event: StoredEvent | undefined;
  /** The shown events: the first `at`. */
  events: readonly StoredEvent[];
  goTo(seq: number | undefined): void;
}

/**
 * Replays the log with the function that also builds the page. The replay ends when another session is
 * opened.
 */
export function useReplay(events: readonly StoredEvent[], sessionId: string | undefined): Replay {
  const [place, setPlace] = useState<{ sessionId: string | undefined; seq: number }>();
  const length = events.length;
  const asked = place?.sessionId === sessionId ? place?.seq : undefined;
  const at = asked === undefined || length === 0 ? undefined : Math.max(1, Math.min(length, asked));
  const shown = useMemo(() => (at === undefined ? events : events.slice(0, at)), [events, at]);
  const view = useMemo(
    () =>
      at === undefined ? undefined : shown.reduce<ViewState>((so, one) => reduceView(so, one), newView()),
    [shown, at],
  );
  const goTo = useCallback(
    (seq: number | undefined) => setPlace(seq === undefined ? undefined : { sessionId, seq }),
    [sessionId],
  );
  return { at, length, view, events: shown, event: at === undefined ? undefined : events[at - 1], goTo };
}
