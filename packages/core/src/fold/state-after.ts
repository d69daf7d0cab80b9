import type { NewEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { toStored } from "../stores/stored-form.ts";
import { applyEvent } from "./apply.ts";

/**
 * Returns the state as it would be after the events with which a run starts, if they were stored next. Does
 * not change `state`, in which no run may be open. `at` stands for the time at which they would be stored.
 */
// Copies only what the start of a run changes. The run, calls and questions before it are shared.
export function stateAfterStart(state: SessionState, events: readonly NewEvent[], at: string): SessionState {
  const { sessionId, lastSeq } = state;
  const later: SessionState = {
    ...state,
    entries: [...state.entries],
    unsent: [...state.unsent],
    queued: [...state.queued],
    ownTags: new Map(state.ownTags),
    earlierQuestions: new Map(state.earlierQuestions),
  };
  for (const [index, event] of events.entries())
    applyEvent(later, toStored(event, sessionId, lastSeq + index + 1, at));
  return later;
}
