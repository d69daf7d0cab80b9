import { PawlError } from "../base/errors.ts";
import { applyEvent } from "../fold/apply.ts";
import { loadState } from "../fold/load.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { EventStore, Lease } from "../log/event-store.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { ownRows } from "../log/own-rows.ts";
import { patchOf } from "../log/row-patch.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { countWork } from "../session/work-time.ts";
import { toStored, withStoredData } from "../stores/stored-form.ts";

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

/** A leg's log that is being written, one call at a time. Only the functions of this file change it. */
export interface Writer extends Readonly<WriterParts> {
  readonly leg: string;
  appends: number;
  /** Events that are in the state under the numbers that they will get. The next append stores them first. */
  held: HeldEvent[];
  /** Held events that could not be stored. */
  lost: readonly NewEvent[];
  /**
   * Raised whenever the state had events that the log has under other numbers, or not at all. What was
   * decided before that is void.
   */
  revision: number;
  /**
   * Set while it is unknown whether held events were stored: the `seq` of the last event that surely is in
   * both the state and the log.
   */
  sureUpTo: number | undefined;
}

/** A held event. `applied` is what the state has of it, and gets the time at which the event was stored. */
interface HeldEvent {
  event: NewEvent;
  applied: StoredEvent;
}

/** Conditions of an append. */
export interface WriteOptions {
  /** Stores none of the events if the last one in the log is another. Default: stores them in any case. */
  afterSeq?: number;
  /** Whether the same append also releases the lease. Default: no. */
  release?: boolean;
}

/** Makes the writer of a leg's log. */
export function newWriter(parts: WriterParts): Writer {
  const own = { leg: parts.newId(), appends: 0, held: [], lost: [], revision: 0, sureUpTo: undefined };
  return { ...parts, ...own };
}

/** Applies events to the state that the next append stores. The writer must know what is stored. */
export function holdEvents({ state, held }: Writer, events: readonly NewEvent[]): void {
  for (const event of events) {
    const stored = toStored(event, state.sessionId, state.lastSeq + 1, state.lastAt);
    // Not frozen like other stored events, because it gets its time later.
    const applied = { ...stored };
    held.push({ event: withStoredData(event, stored), applied });
    applyEvent(state, applied);
  }
}

/** Applies the events that other processes have stored. */
export async function readOthers(writer: Writer): Promise<void> {
  if (writer.sureUpTo !== undefined) await makeSure(writer);
  if (writer.held.length > 0) await writeEvents(writer, []);
  else await readNew(writer);
}

/**
 * Stores the held events and these in one append, and returns the rows of these. If the store refuses them
 * because of these, stores the held ones alone.
 */
export async function writeEvents(
  writer: Writer,
  events: readonly NewEvent[],
  options: WriteOptions = {},
): Promise<readonly StoredEvent[]> {
  const { state } = writer;
  if (writer.sureUpTo !== undefined) await makeSure(writer);
  const { afterSeq } = options;
  // The caller did not know the held events.
  if (writer.held.length > 0 && (afterSeq ?? state.lastSeq) !== state.lastSeq) await writeEvents(writer, []);
  const { held } = writer;
  if (held.length === 0 && events.length === 0) return [];
  try {
    return await appendAll(writer, events, options);
  } catch (error) {
    if (held.length === 0 || writer.sureUpTo !== undefined) {
      if (held.length === 0 && afterSeq !== undefined) await readNew(writer);
      throw error;
    }
    await writeEvents(writer, []);
    if (isRefused(error)) return await writeEvents(writer, events, options);
    throw error;
  }
}

/** Returns whether a store refused an append because of its events. */
export function isRefused(error: unknown): boolean {
  return PawlError.is(error, "key_taken") || PawlError.is(error, "invalid_input");
}

async function appendAll(
  writer: Writer,
  events: readonly NewEvent[],
  { afterSeq, release = false }: WriteOptions,
): Promise<readonly StoredEvent[]> {
  const { store, tail, state, lease, held } = writer;
  const storedSeq = state.lastSeq - held.length;
  const all = held.length === 0 ? events : [...held.map(({ event }) => event), ...events];
  writer.appends += 1;
  let rows: readonly StoredEvent[];
  try {
    const stored = await store.append(state.sessionId, all, {
      appendId: `${writer.leg}:${writer.appends}`,
      lease,
      session: patchOf(all),
      ...(afterSeq !== undefined && { afterSeq: afterSeq - held.length }),
      ...(release && { release }),
    });
    // Callers start tools and model calls after this append, so it must have stored exactly these events.
    rows = ownRows(state.sessionId, all, stored);
  } catch (error) {
    const isTriedAgain = events.length > 0 && (isRefused(error) || PawlError.is(error, "conflict"));
    if (held.length > 0 && !isTriedAgain) {
      writer.lost = held.map(({ event }) => event);
      writer.held = [];
      writer.sureUpTo = storedSeq;
      writer.revision += 1;
    }
    throw error;
  }
  writer.held = [];
  const own = rows.slice(held.length);
  const first = rows[0]?.seq ?? 0;
  if (held.length > 0 && first > storedSeq + 1) await readAgain(writer, storedSeq);
  else {
    if (first > storedSeq + 1) await readNew(writer, first);
    confirm(writer, held, rows);
    for (const row of own) applyStored(writer, row);
  }
  tail.stored(state.sessionId, state.lastSeq, rows);
  return own;
}

/** Gives the held events the time at which they were stored. */
function confirm({ state, onEvent }: Writer, held: readonly HeldEvent[], rows: readonly StoredEvent[]): void {
  for (const [index, { applied }] of held.entries()) {
    const row = rows[index] as StoredEvent;
    Object.assign(applied, row);
    state.lastAt = row.at;
    const run = openRun(state);
    if (run !== undefined) countWork(run.work, row);
    onEvent(row);
  }
}

function applyStored({ state, onEvent }: Writer, event: StoredEvent): void {
  applyEvent(state, event);
  onEvent(event);
}

/** Applies the events that other processes have stored, up to the one before `end`. */
async function readNew(writer: Writer, end = Number.POSITIVE_INFINITY): Promise<void> {
  const { store, state } = writer;
  for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
    if (event.seq >= end) return;
    applyStored(writer, event);
  }
}

/** Folds the log again, because events of the state have other numbers there, or may be missing. */
async function readAgain(writer: Writer, afterSeq: number): Promise<void> {
  const { store, state, onEvent } = writer;
  writer.sureUpTo = afterSeq;
  Object.assign(state, await loadState(store, state.sessionId));
  writer.revision += 1;
  writer.sureUpTo = undefined;
  for await (const event of store.read(state.sessionId, { afterSeq })) {
    if (event.seq > state.lastSeq) return;
    onEvent(event);
  }
}

/** Reads the log again if it is unknown whether held events were stored. */
export async function makeSure(writer: Writer): Promise<void> {
  if (writer.sureUpTo !== undefined) await readAgain(writer, writer.sureUpTo);
}
