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

/** The parts that a leg's writer uses. */
export interface WriterParts {
  store: EventStore;
  tail: LiveTail;
  state: SessionState;
  lease: Lease;
  newId(): string;
  /** Called for every new event once it is stored, in order. */
  onEvent(event: StoredEvent): void;
}

/**
 * The writer of a leg's log. It does one job at a time. Only functions in `runtime/log` change its fields.
 */
export interface Writer extends Readonly<WriterParts> {
  /** A random id of the leg, with which its append ids begin. */
  readonly leg: string;
  /** The number of appends so far, which ends the append ids. */
  appends: number;
  /** Events that are in the state but not in the log. The next append stores them first. */
  held: readonly HeldGroup[];
  /** Whether the state has events under wrong numbers, so that the log has to be folded again. */
  isStale: boolean;
  /**
   * How many times the log was folded again because the state differed from it. Decisions of an earlier
   * revision are void.
   */
  revision: number;
  /**
   * The error after which nothing more can be written. It is unknown whether the held events were stored, or
   * another process has taken over the session.
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

/** Returns the error for held events that were dropped, because another process stored something first. */
export function notAsHeld(cause?: unknown): PawlError {
  return new PawlError("conflict", "Held events were not stored as they were.", { cause });
}

/** Returns whether an append has certainly stored nothing: it was refused, or the log had newer events. */
export function isNotStored(error: unknown): boolean {
  return isRefused(error) || PawlError.is(error, "conflict");
}

/**
 * Waits for an append, and resolves to its result. Resolves to `undefined` if the append was refused because
 * the log has events after `seq`. Those events are then in the state.
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
    const isTakenSince = PawlError.is(error, "key_taken") && state.lastSeq > seq;
    if (isTakenSince || PawlError.is(error, "conflict")) return undefined;
    throw error;
  }
}

/**
 * Appends events to the store, and returns the rows. Rejects as the store does. If it is then unknown whether
 * held events were stored, the writer can write nothing more.
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
 * Appends events, and gives the run to the engine in the same transaction. Resolves to `undefined` if the
 * store has no transactions or `giveAway` rejects. Then nothing is stored, and the caller must append the
 * events.
 */
async function appendAndGiveAway(
  writer: Writer,
  events: readonly NewEvent[],
  options: AppendOptions,
  giveAway: (transaction: unknown) => Promise<void>,
): Promise<readonly StoredEvent[] | undefined> {
  const { store, state } = writer;
  let giveAwayFailed = false;
  const giveAwayToo = async (transaction: unknown) => {
    giveAwayFailed = true;
    await giveAway(transaction);
    giveAwayFailed = false;
  };
  try {
    const rows = await store.appendWith?.(
      state.sessionId,
      events,
      { ...options, release: true },
      giveAwayToo,
    );
    writer.isGivenAway = rows !== undefined;
    return rows;
  } catch (error) {
    if (giveAwayFailed) return undefined;
    throw error;
  }
}

/** Applies a stored event to the state, and calls `onEvent` for it. */
export function applyStored({ state, onEvent }: Writer, event: StoredEvent): void {
  applyEvent(state, event);
  onEvent(event);
}

/** Applies the events that other processes have stored, but none from the number `end` on. Default: all. */
export async function readNew(writer: Writer, end?: number): Promise<void> {
  const { store, state } = writer;
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
    if (end !== undefined && event.seq >= end) return;
    applyStored(writer, event);
  }
}

/**
 * Folds the log again, because the state has events after `afterSeq` that the log has under other numbers, or
 * not at all. Calls `onEvent` for each event of the log after `afterSeq`.
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

/** Ends all writing with an error: later calls throw it, and the outcomes of held events reject with it. */
function endWriting(writer: Writer, error: unknown): void {
  writer.failure = { error };
  for (const { outcome } of writer.held) outcome?.reject(error);
}
