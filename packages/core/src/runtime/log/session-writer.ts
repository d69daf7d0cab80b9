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
 * Applies events to the state that the next append stores. With `follows`, they mean something only after the
 * events that are held already, and are dropped if those get other numbers.
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

/** Applies the events that other processes have stored. */
export async function readOthers(writer: Writer): Promise<void> {
  throwFailure(writer);
  if (writer.held.length > 0) await writeEvents(writer, []);
  else await readNew(writer);
}

/**
 * Stores the held events and these in one append, and returns the rows of these. If the store refuses that,
 * stores the held ones alone before it stores these.
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
  // A caller that decided at another event did not know the held ones.
  const isTogether = afterSeq === undefined || afterSeq === state.lastSeq;
  // Events that follow from held ones must not get other numbers.
  const tip = held.some(({ isVoidable }) => isVoidable) ? { afterSeq: state.lastSeq } : {};
  try {
    if (isTogether) return await appendAll(writer, events, { ...tip, ...options });
    await appendAll(writer, [], tip);
  } catch (error) {
    throwFailure(writer);
    const mayFit = isRefused(error) && !takesKeyOf(held, error);
    const isSame = (mayFit && (await storeInPlace(writer))) || (await storeAlone(writer, error));
    if (afterSeq !== undefined && PawlError.is(error, "conflict")) throw error;
    // Others may have stored as many events as were refused, so `afterSeq` alone does not tell.
    if (afterSeq !== undefined && !isSame) throw notAsHeld(error);
  }
  return await writeEvents(writer, events, options);
}

/** Returns whether the key that was taken is one of the held events, so that they are refused anywhere. */
function takesKeyOf(held: readonly HeldGroup[], error: unknown): boolean {
  const taken = PawlError.is(error, "key_taken") ? error.details?.key : undefined;
  return taken !== undefined && eventsOf(held).some(({ key }) => key === taken);
}

/** Appends events while none are held. If that was refused because of newer events, reads those. */
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

async function appendAll(
  writer: Writer,
  events: readonly NewEvent[],
  options: WriteOptions,
): Promise<readonly StoredEvent[]> {
  const { tail, state, held, onEvent } = writer;
  const before = eventsOf(held);
  const storedSeq = state.lastSeq - before.length;
  const all = before.length === 0 ? events : [...before, ...events];
  const { afterSeq, ...others } = options;
  const at = afterSeq === undefined ? {} : { afterSeq: afterSeq - before.length };
  const rows = await appendRows(writer, all, { ...others, ...at });
  writer.held = [];
  const own = rows.slice(before.length);
  const first = rows[0]?.seq ?? 0;
  const isElsewhere = first > storedSeq + 1;
  writer.isStale = isElsewhere && before.length > 0;
  settle(held, rows);
  if (writer.isStale) await readAgain(writer, storedSeq);
  else {
    if (isElsewhere) await readNew(writer, first);
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
 * Stores the held events behind what others have stored, without those that follow from held ones, and folds
 * the log again. Drops the held events if the store refuses them. Resolves to whether all were stored under
 * the numbers that they had in the state.
 */
// Rare: another process has stored something, or the store has refused what was to be stored with them.
async function storeAlone(writer: Writer, cause: unknown): Promise<boolean> {
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
  if (refusal === undefined) settle(kept, rows);
  else for (const { outcome } of kept) outcome?.reject(refusal.error);
  // Reading the log may fail, and those who wait would never learn of it.
  const dropped = held.slice(kept.length);
  for (const { outcome } of dropped) outcome?.reject(cause);
  await readAgain(writer, storedSeq);
  tail.stored(state.sessionId, state.lastSeq);
  if (dropped.some(({ outcome }) => outcome !== undefined)) throw DECIDE_AGAIN;
  // Otherwise the refusal is known to those who wait for the outcome.
  if (refusal !== undefined && kept.some(({ outcome }) => outcome === undefined)) throw refusal.error;
  return kept.length === held.length && rows[0]?.seq === storedSeq + 1;
}

/** Gives the held groups the rows under which they were stored. */
function settle(held: readonly HeldGroup[], rows: readonly StoredEvent[]): void {
  let at = 0;
  for (const { events, outcome } of held) {
    outcome?.resolve(rows.slice(at, at + events.length));
    at += events.length;
  }
}
