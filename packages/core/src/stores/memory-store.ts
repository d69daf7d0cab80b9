import { checkOptions } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { ReadOptions, StoredEvent } from "../log/event.ts";
import type { Session } from "../log/session-row.ts";
import { checkNames } from "../log/storable.ts";
import type {
  EventStore,
  Lease,
  ListSessions,
  NewSession,
  OpenedSession,
  SessionToOpen,
} from "../log/store/event-store.ts";
import {
  appendTo,
  extendLease,
  isLive,
  isoTimes,
  isToResume,
  leaseTo,
  type MemorySession,
  newMemorySession,
} from "./memory-session.ts";
import { noSession } from "./refusal.ts";
import { appendWatchers } from "./watched-store.ts";

/**
 * Keeps sessions in memory, for tests and for sessions that may be lost with the process. The option `now` is
 * the clock of events and leases: it returns milliseconds since 1970. Default: `Date.now`.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 * for await (const event of store.read("s1")) console.log(event.seq, event.type);
 * ```
 */
export function memoryStore(options: { now?: () => number } = {}): EventStore {
  checkOptions<typeof options>("memoryStore()", options, { now: "function" });
  const { now = Date.now } = options;
  const entries = new Map<string, MemorySession>();
  /** The sessions of each user, oldest first. */
  const ofUsers = new Map<string, MemorySession[]>();
  const add = (session: NewSession): MemorySession => {
    const entry = newMemorySession(session, now(), isoTime);
    entries.set(session.id, entry);
    const own = ofUsers.get(session.userId);
    if (own === undefined) ofUsers.set(session.userId, [entry]);
    else own.push(entry);
    return entry;
  };
  const existingEntry = (id: string): MemorySession => {
    const entry = entries.get(id);
    if (entry === undefined) throw noSession(id);
    return entry;
  };
  /** Returns the session of a lease; `undefined` if another lease has replaced it, or it was released. */
  const entryOfLease = ({ sessionId, holder, epoch }: Lease): MemorySession | undefined => {
    const entry = entries.get(sessionId);
    return entry?.holder === holder && entry.epoch === epoch ? entry : undefined;
  };
  const isoTime = isoTimes();
  const { watch, appended } = appendWatchers();
  return {
    async append(sessionId, events, options) {
      const rows = appendTo(existingEntry(sessionId), events, options, now(), isoTime);
      appended(sessionId, rows);
      return rows;
    },
    read: (sessionId, options) => readEvents(entries.get(sessionId)?.events ?? [], options),
    async acquire(sessionId, holder, ttlMs) {
      checkNames(holder);
      return leaseTo(existingEntry(sessionId), holder, ttlMs, now(), isoTime);
    },
    open: async (request) => openIn(entries, add, request, now(), isoTime),
    async saveSnapshot(sessionId, snapshot) {
      const entry = entries.get(sessionId);
      if (entry?.row.lastSeq === snapshot.seq) entry.snapshot = { ...snapshot };
    },
    async renew(lease, ttlMs) {
      const entry = entryOfLease(lease);
      if (entry !== undefined) extendLease(entry, ttlMs, now());
      return entry !== undefined;
    },
    async release(lease) {
      const entry = entryOfLease(lease);
      if (entry !== undefined) entry.holder = undefined;
    },
    async listRecoverable({ limit, agents, after }) {
      const isoNow = isoTime(now());
      const order = after === undefined ? "updatedAt" : "id";
      return Array.from(entries.values())
        .filter((entry) => isToResume(entry.row, isoNow) && !isLive(entry, now()))
        .map(({ row }) => row)
        .filter(({ id, agent }) => (agents?.includes(agent) ?? true) && id > (after ?? ""))
        .sort((a, b) => Number(a[order] > b[order]) - Number(a[order] < b[order]))
        .slice(0, limit)
        .map(deepFreeze);
    },
    sessions: {
      async create(session) {
        if (entries.has(session.id))
          throw new PawlError("conflict", `There is a session "${session.id}" already.`);
        return deepFreeze(add(session).row);
      },
      get: async (id) => deepFreeze(entries.get(id)?.row),
      list: async (options) => list(ofUsers.get(options.userId) ?? [], options),
    },
    watch,
  };
}

/** Implements {@link EventStore.open}. */
function openIn(
  entries: ReadonlyMap<string, MemorySession>,
  add: (session: NewSession) => MemorySession,
  { id, userId, agent, create, holder, ttlMs, afterSeq = 0, snapshot: version }: SessionToOpen,
  now: number,
  isoTime: ReturnType<typeof isoTimes>,
): OpenedSession | undefined {
  checkNames(holder);
  let entry = entries.get(id);
  if (entry === undefined && create !== undefined) entry = add({ id, userId, agent, ...create });
  if (entry?.row.userId !== userId) return undefined;
  const session = deepFreeze(entry.row);
  const mayRun = session.agent === agent && session.status !== "expired";
  const lease = mayRun ? leaseTo(entry, holder, ttlMs, now, isoTime) : undefined;
  if (lease === undefined) return { session, lease, events: [] };
  const { snapshot, events } = entry;
  if (snapshot === undefined || snapshot.version !== version || snapshot.seq <= afterSeq)
    return { session, lease, events: events.slice(Math.max(0, afterSeq)) };
  const { seq, state } = snapshot;
  return { session, lease, events: events.slice(seq), snapshot: { seq, state } };
}

// Not a generator function, which takes several microtask turns per event, for each reader.
function readEvents(
  events: readonly StoredEvent[],
  { afterSeq = 0, types, limit }: ReadOptions = {},
): AsyncIterable<StoredEvent> {
  const later = events.slice(Math.max(0, afterSeq));
  const ofTypes = types === undefined ? later : later.filter(({ type }) => types.some((one) => one === type));
  const selected = ofTypes.slice(0, limit).values();
  return { [Symbol.asyncIterator]: () => ({ next: async () => selected.next() }) };
}

function list(own: readonly MemorySession[], options: Omit<ListSessions, "userId">): Session[] {
  const { agent, status, limit = 50 } = options;
  return own
    .map(({ row }) => row)
    .reverse()
    .filter(
      (row) =>
        (agent === undefined || row.agent === agent) && (status === undefined || status.includes(row.status)),
    )
    .slice(0, limit)
    .map(deepFreeze);
}
