import type { UseAgent } from "@pawl/client/react";
import type { StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewMessage, type ViewState } from "@pawl/core/view";
import { useMemo, useRef } from "react";

/**
 * Returns the messages of the whole conversation, for parts of the page that derive something from all of
 * them. Those that the thread has not loaded are folded from the log. Until the log has loaded, only the
 * loaded messages are returned.
 *
 * @param events the stored events that the page has read
 */
export function useWholeMessages(
  { hasOlder, messages }: Pick<UseAgent, "hasOlder" | "messages">,
  events: readonly StoredEvent[],
): readonly ViewMessage[] {
  const folded = useRef<Folded>(NOTHING);
  // Without its first event, the log is still loading.
  if (hasOlder && events[0]?.seq === 1) folded.current = foldOn(folded.current, events);
  const all = hasOlder ? folded.current.view.messages : undefined;
  return useMemo(() => (all === undefined ? messages : withOlder(all, messages)), [all, messages]);
}

/** The view of a log's first `count` events, of which `last` is the last one. */
interface Folded {
  view: ViewState;
  count: number;
  last: StoredEvent | undefined;
}

const NOTHING: Folded = { view: newView(), count: 0, last: undefined };

/** Folds only the new events, unless the log is another one. */
function foldOn(before: Folded, events: readonly StoredEvent[]): Folded {
  const { view, count } = before.last === events[before.count - 1] ? before : NOTHING;
  if (count === events.length) return before;
  return {
    view: events.slice(count).reduce<ViewState>((so, one) => reduceView(so, one), view),
    count: events.length,
    last: events.at(-1),
  };
}

/** Puts the messages before the first loaded one in front of the loaded ones. */
function withOlder(all: readonly ViewMessage[], loaded: readonly ViewMessage[]): readonly ViewMessage[] {
  const first = all.findIndex(({ id }) => id === loaded[0]?.id);
  if (first < 1) return loaded;
  const ids = new Set(loaded.map(({ id }) => id));
  return [...all.slice(0, first).filter(({ id }) => !ids.has(id)), ...loaded];
}
