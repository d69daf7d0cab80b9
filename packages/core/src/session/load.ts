import type { EventStore } from "../events/event-store.ts";
import { applyEvent } from "./apply.ts";
import { newSessionState, type SessionState } from "./state.ts";

/** The session as its log tells it. */
export async function loadState(store: EventStore, sessionId: string): Promise<SessionState> {
  const state = newSessionState(sessionId);
  await catchUp(store, state);
  return state;
}

/** Folds in whatever was stored since. */
export async function catchUp(store: EventStore, state: SessionState): Promise<void> {
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq }))
    applyEvent(state, event);
}
