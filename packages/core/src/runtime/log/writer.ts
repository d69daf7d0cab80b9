import { PawlError } from "../../base/errors.ts";
import { applyEvent } from "../../fold/apply.ts";
import { loadState } from "../../fold/load.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { AppendOptions, EventStore, Lease } from "../../log/store/event-store.ts";
import type { LiveTail } from "../../log/store/live-tail.ts";
import { ownRows } from "../../log/store/own-rows.ts";
import { patchOf } from "../../log/store/row-patch.ts";
import type { WriteOptions } from "../../loop/leg/session-log.ts";
import type { SessionState } from "../../session/state.ts";
import type { HeldGroup } from "./held-events.ts";

/** What it takes to write a leg's events. */
export interface WriterParts {
  store: EventStore;
  tail: LiveTail;
  state: SessionState;
  lease: Lease;
  newId(): string;
  /** Called for every new event once it is stored, in order. */
  onEvent(event: StoredEvent): void;
}

/** A leg's log that is being written, one call at a time. Only the functions of this room change it. */
export interface Writer extends Readonly<WriterParts> {
  readonly leg: string;
  appends: number;
  /** Events that are in the state under the numbers that they will get. The next append stores them first. */
  held: readonly HeldGroup[];
  /** Whether the state still has events that are not held any more, and is about to be folded again. */
  isStale: boolean;
  /**
   * Raised whenever the state had events that the log has under other numbers, or not at all. What was
   * decided before that is void.
   */
  revision: number;
  /**
   * Why nothing can be written any more: nobody knows whether the held events were stored, or another process
   * has taken over the session.
   */
  failure: { error: unknown } | undefined;
  /** Whether the last append has given the run to the engine, and so released the lease. */
  isGivenAway: boolean;
}

/** Makes the writer of a leg's log. */
export function newWriter(parts: WriterParts): Writer {
  return {
    ...parts,
    leg: parts.newId(),
    appends: 0,
    held: [],
    isStale: false,
    revision: 0,
    failure: undefined,
    isGivenAway: false,
  };
}

/** Throws the failure after which nothing can be written, if there is one. */
export function throwFailure({ failure }: Writer): void {
  if (failure !== undefined) throw failure.error;
}

/** Returns whether a store refused an append because of its events. */
export function isRefused(error: unknown): boolean {
  return PawlError.is(error, "key_taken") || PawlError.is(error, "invalid_input");
}

/** Returns the error for held events that another process has come before. */
export function notAsHeld(cause?: unknown): PawlError {
  return new PawlError("conflict", "Held events were not stored as they were.", { cause });
}

/** Returns whether an append has certainly stored nothing: it was refused, or the log had newer events. */
export function isNotStored(error: unknown): boolean {
  return isRefused(error) || PawlError.is(error, "conflict");
}

/**
 * Resolves to what was written. Resolves to `undefined` if it was refused because the log had newer events
 * than `seq`, which are then in the state.
 */
export async function unlessOvertaken<T>(
  state: SessionState,
  seq: number,
  written: Promise<T>,
): Promise<T | undefined> {
  try {
    return await written;
  } catch (error) {
    // A key that was taken before the caller decided is an error: deciding again would not help.
    const takenMeanwhile = PawlError.is(error, "key_taken") && state.lastSeq > seq;
    if (takenMeanwhile || PawlError.is(error, "conflict")) return undefined;
    throw error;
  }
}

/**
 * Appends to the store, and returns the rows. If it stays unknown whether held events were stored, nothing
 * more can be written.
 */
export async function appendRows(
  writer: Writer,
  events: readonly NewEvent[],
  { afterSeq, release = false, giveAway }: WriteOptions = {},
): Promise<readonly StoredEvent[]> {
  const { state, lease } = writer;
  writer.appends += 1;
  try {
    const options: AppendOptions = {
      appendId: `${writer.leg}:${writer.appends}`,
      lease,
      session: patchOf(events),
      ...(afterSeq !== undefined && { afterSeq }),
      ...(release && { release }),
    };
    const stored =
      (giveAway && (await appendAndGiveAway(writer, events, options, giveAway))) ??
      (await writer.store.append(state.sessionId, events, options));
    // Callers start tools and model calls after this append, so it must have stored exactly these events.
    return ownRows(state.sessionId, events, stored);
  } catch (error) {
    if (writer.held.length > 0 && !isNotStored(error)) endWriting(writer, error);
    throw error;
  }
}

/**
 * Appends events, and gives the run to the engine in the same transaction. Resolves to `undefined` if that is
 * not possible. Then the caller must append the events.
 */
async function appendAndGiveAway(
  writer: Writer,
  events: readonly NewEvent[],
  options: AppendOptions,
  giveAway: (transaction: unknown) => Promise<void>,
): Promise<readonly StoredEvent[] | undefined> {
  const { store, state } = writer;
  let failed = false;
  const also = async (transaction: unknown) => {
    failed = true;
    await giveAway(transaction);
    failed = false;
  };
  try {
    const rows = await store.appendWith?.(state.sessionId, events, { ...options, release: true }, also);
    writer.isGivenAway = rows !== undefined;
    return rows;
  } catch (error) {
    if (failed) return undefined;
    throw error;
  }
}

/** Applies an event that is stored. */
export function applyStored({ state, onEvent }: Writer, event: StoredEvent): void {
  applyEvent(state, event);
  onEvent(event);
}

/** Applies the events that other processes have stored, up to the one before `end`. */
export async function readNew(writer: Writer, end?: number): Promise<void> {
  const { store, state } = writer;
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
    if (end !== undefined && event.seq >= end) return;
    applyStored(writer, event);
  }
}

/**
 * Folds the log again, because the state has events after `afterSeq` that the log has under other numbers, or
 * not at all.
 */
export async function readAgain(writer: Writer, afterSeq: number): Promise<void> {
  const { store, state, onEvent } = writer;
  try {
    const later: StoredEvent[] = [];
    const fresh = await loadState(store, state.sessionId, (event) => {
      if (event.seq > afterSeq) later.push(event);
    });
    Object.assign(state, fresh);
    writer.isStale = false;
    writer.revision += 1;
    for (const event of later) onEvent(event);
  } catch (error) {
    endWriting(writer, error);
    throw error;
  }
}

function endWriting(writer: Writer, error: unknown): void {
  writer.failure = { error };
  for (const { outcome } of writer.held) outcome?.reject(error);
}
