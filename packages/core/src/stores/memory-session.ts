import type { JsonObject } from "../base/json.ts";
import { addUsd } from "../base/usd.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import { type Session, type SessionPatch, statusAfter, wakeAtAfter } from "../log/session-row.ts";
import { checkBatch, checkNames, jsonbText } from "../log/storable.ts";
import type { AcquiredLease, AppendOptions, NewSession } from "../log/store/event-store.ts";
import type { Snapshot } from "../log/store/snapshot.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import { explainRefusal, type Refused } from "./refusal.ts";
import { toStored } from "./stored-form.ts";

/**
 * A session in memory. `events[i]` has the `seq` i + 1. Events are frozen when they are stored; the row is
 * frozen when a caller receives it.
 */
export interface MemorySession {
  row: Session;
  readonly events: StoredEvent[];
  /** The events with a key, by key. */
  readonly keys: Map<string, StoredEvent>;
  /** The events of each append, by append id. */
  readonly appends: Map<string, readonly StoredEvent[]>;
  snapshot: Snapshot | undefined;
  /** When the last event was stored, in milliseconds of the store's clock. */
  storedMs: number;
  /** When the lease was acquired or renewed, in milliseconds of the store's clock. */
  leasedAt: number;
  /** When the lease ends, in milliseconds of the store's clock. */
  expires: number;
  /** The epoch of the last lease; 0 before the first one. */
  epoch: number;
  /** The holder of the lease, which may have expired; `undefined` if there is no lease. */
  holder: string | undefined;
}

/** Formats a time in milliseconds since 1970 as ISO 8601 in UTC. */
type IsoTime = (ms: number) => string;

/** Returns a new session without events. */
export function newMemorySession(
  { id, userId, agent, metadata }: NewSession,
  now: number,
  isoTime: IsoTime,
): MemorySession {
  checkNames(id, userId, agent);
  const at = isoTime(now);
  const row: Session = {
    id,
    userId,
    agent,
    status: "active",
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    openRun: null,
    pending: 0,
    wakeAt: null,
    contextStartSeq: 0,
    usage: { ...noUsage },
    costUsd: 0,
    metadata: JSON.parse(jsonbText(metadata ?? {})) as JsonObject,
  };
  return {
    row,
    events: [],
    keys: new Map(),
    appends: new Map(),
    snapshot: undefined,
    storedMs: now,
    leasedAt: 0,
    expires: 0,
    epoch: 0,
    holder: undefined,
  };
}

/** Returns whether the session has a run that a process can continue at the time `now`, ISO 8601. */
export function isToResume(row: Session, now: string): boolean {
  const { openRun, status, pending, wakeAt, updatedAt } = row;
  if (openRun === null) return false;
  // The clock was set back after the wait was stored, so it would last too long.
  if (wakeAt !== null) return wakeAt <= now || (updatedAt > now && wakeAt > updatedAt);
  return status !== "suspended" || pending <= 0;
}

/**
 * Returns whether the session has a lease that has not expired. A lease also counts as expired if it begins
 * further in the future than its length: then the clock was set back, and its holder has not renewed it
 * since.
 */
export function isLive({ holder, leasedAt, expires }: MemorySession, now: number): boolean {
  return holder !== undefined && expires > now && 2 * leasedAt - expires <= now;
}

/** Has the session's lease end in `ttlMs` milliseconds. */
export function extendLease(entry: MemorySession, ttlMs: number, now: number): void {
  entry.leasedAt = now;
  entry.expires = now + ttlMs;
}

/** Grants the session's lease, with a new epoch. Returns `undefined` if another holder has a live lease. */
export function leaseTo(
  entry: MemorySession,
  holder: string,
  ttlMs: number,
  now: number,
  isoTime: IsoTime,
): AcquiredLease | undefined {
  if (entry.holder !== holder && isLive(entry, now)) return undefined;
  entry.holder = holder;
  extendLease(entry, ttlMs, now);
  entry.epoch += 1;
  const { epoch } = entry;
  return Object.freeze({ sessionId: entry.row.id, holder, epoch, acquiredAt: isoTime(now) });
}

/**
 * Appends to a session, and returns the stored events; those of the first append if the append id is
 * repeated. Checks everything before it changes anything.
 */
export function appendTo(
  entry: MemorySession,
  events: readonly NewEvent[],
  options: AppendOptions,
  now: number,
  isoTime: IsoTime,
): readonly StoredEvent[] {
  const { appendId, release } = options;
  const { id, lastSeq } = entry.row;
  checkBatch(events, appendId);
  // Makes events and row before it checks lease, `afterSeq` and keys: an append that can never be stored is
  // `invalid_input` in any case.
  const storedMs = Math.max(now, entry.storedMs);
  const at = isoTime(storedMs);
  const stored = events.map((event, index) => toStored(event, id, lastSeq + index + 1, at));
  const row = patched(entry.row, options.session ?? {}, lastSeq + stored.length, at);

  const duplicate = events.find(({ key }) => key !== undefined && entry.keys.has(key));
  const state: Refused = {
    lastSeq,
    leaseHolder: entry.holder ?? null,
    leaseEpoch: entry.epoch,
    before: entry.appends.get(appendId) ?? [],
    taken: duplicate && entry.keys.get(duplicate.key as string),
  };
  const repeated = explainRefusal(id, events, state, options);
  if (repeated !== undefined) return repeated;

  for (const event of stored) {
    entry.events.push(event);
    if (event.key !== undefined) entry.keys.set(event.key, event);
    if (event.type === "redaction") entry.snapshot = undefined;
  }
  entry.appends.set(appendId, Object.freeze(stored));
  entry.row = row;
  entry.storedMs = storedMs;
  if (release === true) entry.holder = undefined;
  return stored;
}

/** Returns a session's row after an append. */
function patched(row: Session, patch: SessionPatch, lastSeq: number, updatedAt: string): Session {
  const metadata =
    patch.metadata === undefined
      ? row.metadata
      : { ...row.metadata, ...(JSON.parse(jsonbText(patch.metadata)) as JsonObject) };
  const pending = row.pending + (patch.addPending ?? 0);
  return {
    ...row,
    lastSeq,
    updatedAt,
    status: statusAfter(row.status, patch, pending),
    openRun: patch.openRun === undefined ? row.openRun : patch.openRun,
    pending,
    wakeAt: wakeAtAfter(row.wakeAt, patch),
    contextStartSeq: patch.contextStartSeq ?? row.contextStartSeq,
    usage: patch.addUsage === undefined ? row.usage : addUsage(row.usage, patch.addUsage),
    costUsd: addUsd(row.costUsd, patch.addCostUsd ?? 0),
    metadata,
  };
}

/**
 * Returns a function that formats times like `Date.toISOString()`. It caches the text of one second, because
 * many appends share a second.
 */
export function isoTimes(): IsoTime {
  let cached = { second: Number.NaN, text: "" };
  return (ms) => {
    const second = Math.floor(ms / 1_000);
    if (second !== cached.second) {
      cached = { second, text: new Date(second * 1_000).toISOString().slice(0, -"000Z".length) };
    }
    return `${cached.text}${String(Math.floor(ms) - second * 1_000).padStart(3, "0")}Z`;
  };
}
