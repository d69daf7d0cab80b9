import { PawlError } from "../base/errors.ts";
import { referenceOf } from "../log/blob-reference.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventStore, OpenedSession } from "../log/event-store.ts";
import type { Session } from "../log/session-row.ts";
import { newSessionState, type SessionState } from "../session/state.ts";
import { applyEvent } from "./apply.ts";

/** Loads a session's state from its log. */
export async function loadState(store: EventStore, sessionId: string): Promise<SessionState> {
  const state = newSessionState(sessionId);
  await catchUp(store, state);
  return state;
}

/**
 * Returns the state of an opened session. Begins with the store's snapshot, if there is one that fits, and
 * reads the events that the store has not returned.
 */
export async function stateOf(store: EventStore, opened: OpenedSession): Promise<SessionState> {
  const { session, events, snapshot } = opened;
  const state = snapshot === undefined ? newSessionState(session.id) : await restored(session, snapshot);
  // The events of the answer follow a snapshot, which cannot be used.
  if (state === undefined) return await loadState(store, session.id);
  for (const event of events) applyLoaded(state, event);
  if (state.lastSeq < session.lastSeq) await catchUp(store, state);
  return state;
}

/** Applies the events that were stored after `state.lastSeq`. */
export async function catchUp(store: EventStore, state: SessionState): Promise<void> {
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
    applyLoaded(state, event);
  }
}

/** Returns the state of a snapshot; `undefined` if it is not one of this session and its log. */
async function restored(
  { id, lastSeq }: Session,
  { seq, state: written }: NonNullable<OpenedSession["snapshot"]>,
): Promise<SessionState | undefined> {
  try {
    const { stateFrom } = await import("./snapshot.ts");
    const state = stateFrom(written);
    return state.sessionId === id && state.lastSeq === seq && seq <= lastSeq ? state : undefined;
  } catch {
    return undefined;
  }
}

function applyLoaded(state: SessionState, event: StoredEvent): void {
  if (referenceOf(event.data) !== undefined && !event.type.includes(".")) throw withoutBlobs(event);
  applyEvent(state, event);
}

/**
 * Makes the error for a log whose payloads are in a `BlobStore` that the runtime lacks. Without this error,
 * the model would continue from an incomplete history.
 */
function withoutBlobs({ sessionId, seq }: StoredEvent): PawlError {
  const message = `Event ${seq} of session "${sessionId}" is stored as a blob. Pass the blob store that has it: runtime({ blobs }).`;
  return new PawlError("store_unavailable", message, { details: { sessionId, seq } });
}
