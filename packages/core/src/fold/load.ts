import { PawlError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { EVENT_VERSION, type StoredEvent } from "../log/event.ts";
import type { Session } from "../log/session-row.ts";
import { referenceOf } from "../log/store/blob-reference.ts";
import type { EventStore, OpenedSession } from "../log/store/event-store.ts";
import { newSessionState } from "../session/new-state.ts";
import type { SessionState } from "../session/state.ts";
import { applyEvent } from "./apply.ts";
import { stateFrom } from "./snapshot.ts";

/**
 * Loads a session's state from its log, for code that does not continue its run. Calls `onEvent` for each
 * event.
 */
export async function loadState(
  store: EventStore,
  sessionId: string,
  onEvent: (event: StoredEvent) => void = () => undefined,
): Promise<SessionState> {
  const state = newSessionState(sessionId);
  await readInto(store, state, (to, event) => {
    applyLoaded(to, event);
    onEvent(event);
  });
  return state;
}

/**
 * Loads a session's state from its log, to continue its run. Rejects if a newer version of Pawl has stored an
 * event.
 */
export async function loadToContinue(store: EventStore, sessionId: string): Promise<SessionState> {
  const state = newSessionState(sessionId);
  await readInto(store, state, applyKnown);
  return state;
}

/** The state of an opened session. */
export interface OpenedState {
  state: SessionState;
  /** `seq` of the snapshot from which the state was restored; 0 without one. */
  snapshotSeq: number;
}

/**
 * Returns the state of an opened session, to continue its run. Restores the store's snapshot, if it is valid,
 * and reads the events that the store has not returned.
 */
export async function stateOf(store: EventStore, opened: OpenedSession): Promise<OpenedState> {
  const { session, events, snapshot } = opened;
  const restored = snapshot && restoredFrom(session, snapshot);
  const state = restored ?? newSessionState(session.id);
  // Events that came with a snapshot follow it. If it is not valid, the log is read from its beginning.
  const followState = snapshot === undefined || restored !== undefined;
  if (followState) for (const event of events) applyKnown(state, event);
  if (state.lastSeq < session.lastSeq) await readInto(store, state, applyKnown);
  return { state, snapshotSeq: restored === undefined ? 0 : (snapshot?.seq ?? 0) };
}

/** Reads and applies the events that were stored after `state.lastSeq`. */
export async function catchUp(store: EventStore, state: SessionState): Promise<void> {
  await readInto(store, state, applyLoaded);
}

/** Reads the events after `state.lastSeq`, and applies each. */
async function readInto(store: EventStore, state: SessionState, apply: typeof applyLoaded): Promise<void> {
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) apply(state, event);
}

/** Returns the state of a snapshot; `undefined` if it is damaged, or does not belong to this log. */
function restoredFrom(
  { id, lastSeq }: Session,
  { seq, state: text }: NonNullable<OpenedSession["snapshot"]>,
): SessionState | undefined {
  try {
    const state = stateFrom(JSON.parse(text) as JsonObject);
    return state.sessionId === id && state.lastSeq === seq && seq <= lastSeq ? state : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Applies an event. Throws if its payload is a blob that the store could not read. The payload of an
 * extension, whose type contains a dot, is not needed.
 */
function applyLoaded(state: SessionState, event: StoredEvent): void {
  if (referenceOf(event.data) !== undefined && !event.type.includes(".")) throw withoutBlobs(event);
  applyEvent(state, event);
}

/** Applies an event to a state that a leg continues. Throws for an event of a newer version. */
function applyKnown(state: SessionState, event: StoredEvent): void {
  assertKnown(event);
  applyLoaded(state, event);
}

/**
 * Throws `store_unavailable` for an event of a newer version of Pawl, whose meaning this process does not
 * know. Processes of that version can continue the session.
 */
export function assertKnown({ sessionId, seq, v }: StoredEvent): void {
  if (v <= EVENT_VERSION) return;
  const message = `Event ${seq} of session "${sessionId}" has version ${v}, and this process knows versions up to ${EVENT_VERSION}: a newer Pawl has stored it, and only that can continue the session. Finish the deploy, or update @pawl/core.`;
  throw new PawlError("store_unavailable", message, { details: { sessionId, seq, version: v } });
}

/** Returns whether {@link assertKnown} has thrown the error. */
export function isNewerVersionError(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") && error.details.version !== undefined;
}

/**
 * Makes the error for a log whose payloads are in a `BlobStore` that the runtime lacks. Without this error,
 * the model would continue from an incomplete history.
 */
function withoutBlobs({ sessionId, seq }: StoredEvent): PawlError {
  const message = `Event ${seq} of session "${sessionId}" is stored as a blob. Pass the blob store that has it: runtime({ blobs }).`;
  return new PawlError("store_unavailable", message, { details: { sessionId, seq } });
}
