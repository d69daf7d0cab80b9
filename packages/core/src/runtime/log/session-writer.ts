import { PawlError } from "../../base/errors.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { HeldOutcome, WriteOptions } from "../../loop/leg/session-log.ts";
import { DECIDE_AGAIN } from "../../loop/leg/stored-first.ts";
import { confirmHeld, eventsOf, type HeldGroup, showHeld } from "./held-events.ts";
import {
  appendRows,
  applyStored,
  isNotStored,
  isRefused,
  notAsHeld,
  readAgain,
  readNew,
  throwFailure,
  type Writer,
} from "./writer.ts";

/**
 * Applies events to the state, for the next append to store. With `follows`, the events depend on those that
 * are held already, and are dropped if those get other numbers. With `atTip`, they are dropped if another
 * process stores something first. `outcome` is settled once they are stored or dropped.
 */
export function holdEvents(
  writer: Writer,
  events: readonly NewEvent[],
  {
    follows = false,
    atTip = false,
    outcome,
  }: { follows?: boolean; atTip?: boolean; outcome?: HeldOutcome | undefined } = {},
): void {
  throwFailure(writer);
  if (events.length === 0) return;
  const { state, held } = writer;
  const isVoidable = atTip || (follows && held.length > 0);
  writer.held = [...held, { ...showHeld(state, events), isVoidable, outcome }];
}

/** Applies the events that other processes have stored. If events are held, stores these first. */
export async function readOthers(writer: Writer): Promise<void> {
  throwFailure(writer);
  if (writer.held.length > 0) await writeEvents(writer, []);
  else await readNew(writer);
}

/**
 * Stores the held events and `events` in one append. Returns the rows of `events`. If the store refuses the
 * append, stores the held events first, and then `events` in an append of their own.
 */
export async function writeEvents(
  writer: Writer,
  events: readonly NewEvent[],
  options: WriteOptions = {},
): Promise<readonly StoredEvent[]> {
  throwFailure(writer);
  const { state, held } = writer;
  const { afterSeq } = options;
  if (held.length === 0) return events.length === 0 ? [] : await writeNew(writer, events, options);
  // A caller that names an earlier event has decided without the held ones, so they are stored separately.
  const isTogether = afterSeq === undefined || afterSeq === state.lastSeq;
  // Voidable events are only stored under the numbers that they have in the state.
  const condition = held.some(({ isVoidable }) => isVoidable) ? { afterSeq: state.lastSeq } : {};
  try {
    if (isTogether) return await appendAll(writer, events, { ...condition, ...options });
    await appendAll(writer, [], condition);
  } catch (error) {
    throwFailure(writer);
    // The new events may be the reason for the refusal.
    const mayStoreHeld = isRefused(error) && !isHeldKeyTaken(held, error);
    const keptNumbers =
      (mayStoreHeld && (await storeInPlace(writer))) || (await storeAfterOthers(writer, error));
    if (afterSeq !== undefined && PawlError.is(error, "conflict")) throw error;
    // Other processes may have stored as many events as were dropped. Then `afterSeq` would wrongly match.
    if (afterSeq !== undefined && !keptNumbers) throw notAsHeld(error);
  }
  return await writeEvents(writer, events, options);
}

/** Returns whether a held event has the taken key. Then the held events are refused by any append. */
function isHeldKeyTaken(held: readonly HeldGroup[], error: unknown): boolean {
  const taken = PawlError.is(error, "key_taken") ? error.details?.key : undefined;
  return taken !== undefined && eventsOf(held).some(({ key }) => key === taken);
}

/** Appends events while none are held. If an append with `afterSeq` fails, reads the newer events. */
async function writeNew(
  writer: Writer,
  events: readonly NewEvent[],
  options: WriteOptions,
): Promise<readonly StoredEvent[]> {
  try {
    return await appendAll(writer, events, options);
  } catch (error) {
    if (options.afterSeq !== undefined) await readNew(writer);
    throw error;
  }
}

/**
 * Appends the held events and `events` in one append, and applies the rows to the state. Returns the rows of
 * `events`.
 */
async function appendAll(
  writer: Writer,
  events: readonly NewEvent[],
  options: WriteOptions,
): Promise<readonly StoredEvent[]> {
  const { tail, state, held, onEvent } = writer;
  const heldEvents = eventsOf(held);
  const storedSeq = state.lastSeq - heldEvents.length;
  const all = heldEvents.length === 0 ? events : [...heldEvents, ...events];
  const { afterSeq, ...others } = options;
  // `afterSeq` is a number in the state, which has the held events already. The store does not have them yet.
  const condition = afterSeq === undefined ? {} : { afterSeq: afterSeq - heldEvents.length };
  const rows = await appendRows(writer, all, { ...others, ...condition });
  writer.held = [];
  const own = rows.slice(heldEvents.length);
  const first = rows[0]?.seq ?? 0;
  const isAfterOthers = first > storedSeq + 1;
  writer.isStale = isAfterOthers && heldEvents.length > 0;
  settle(held, rows);
  if (writer.isStale) await readAgain(writer, storedSeq);
  else {
    if (isAfterOthers) await readNew(writer, first);
    confirmHeld(state, held, rows, onEvent);
    for (const row of own) applyStored(writer, row);
  }
  tail.stored(state.sessionId, state.lastSeq, rows);
  return own;
}

/**
 * Stores the held events alone, under the numbers that they have in the state. Resolves to `false` if the
 * store refuses that.
 */
async function storeInPlace(writer: Writer): Promise<boolean> {
  try {
    await appendAll(writer, [], { afterSeq: writer.state.lastSeq });
    return true;
  } catch (error) {
    if (!isNotStored(error)) throw error;
    return false;
  }
}

/**
 * Stores the held events after those of other processes, and folds the log again. Drops the held events from
 * the first voidable one on, or all if the store refuses them. Resolves to whether all were stored under the
 * numbers that they had in the state.
 */
// Rare: another process has stored something, or the store has refused the append.
async function storeAfterOthers(writer: Writer, cause: unknown): Promise<boolean> {
  const { held, state, tail } = writer;
  const storedSeq = state.lastSeq - eventsOf(held).length;
  const first = held.findIndex(({ isVoidable }) => isVoidable);
  const kept = first === -1 ? held : held.slice(0, first);
  let rows: readonly StoredEvent[] = [];
  let refusal: { error: unknown } | undefined;
  try {
    if (kept.length > 0) rows = await appendRows(writer, eventsOf(kept));
  } catch (error) {
    throwFailure(writer);
    refusal = { error };
  }
  writer.held = [];
  writer.isStale = true;
  // Settles the outcomes before the log is read. If reading failed, their callers would wait for ever.
  if (refusal === undefined) settle(kept, rows);
  else for (const { outcome } of kept) outcome?.reject(refusal.error);
  const dropped = held.slice(kept.length);
  for (const { outcome } of dropped) outcome?.reject(cause);
  await readAgain(writer, storedSeq);
  tail.stored(state.sessionId, state.lastSeq);
  if (dropped.some(({ outcome }) => outcome !== undefined)) throw DECIDE_AGAIN;
  // A refusal of events with an outcome has rejected that outcome, so it is not thrown for them.
  if (refusal !== undefined && kept.some(({ outcome }) => outcome === undefined)) throw refusal.error;
  return kept.length === held.length && rows[0]?.seq === storedSeq + 1;
}

/** Resolves the outcome of each held group with the rows of its events. */
function settle(held: readonly HeldGroup[], rows: readonly StoredEvent[]): void {
  let start = 0;
  for (const { events, outcome } of held) {
    outcome?.resolve(rows.slice(start, start + events.length));
    start += events.length;
  }
}
