import { PawlError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import type { NewEvent, StoredEvent } from "./event.ts";
import type {
  AppendOptions,
  EventStore,
  Lease,
  ListSessions,
  NewSession,
  ReadOptions,
} from "./event-store.ts";
import { type Session, type SessionPatch, statusAfter } from "./session-row.ts";
import { checkBatch, checkNames, jsonbText } from "./storable.ts";
import { deepFreeze, toStored } from "./stored-form.ts";

/** What is kept of one session. `events[i]` has `seq` i + 1; what is handed out is frozen, a row not before. */
interface Entry {
  row: Session;
  readonly events: StoredEvent[];
  readonly keys: Map<string, StoredEvent>;
  readonly appends: Map<string, readonly StoredEvent[]>;
  epoch: number;
  holder: string | undefined;
  /** In ms of the store's clock. */
  expires: number;
}

/**
 * A log in memory, for tests and for what may be forgotten. It keeps every promise of {@link EventStore} but the one
 * of outliving the process. `now` is the clock in milliseconds, for `at` as well as for leases.
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
export function memoryStore({ now = Date.now }: { now?: () => number } = {}): EventStore {
  const entries = new Map<string, Entry>();
  const existing = (id: string): Entry => {
    const entry = entries.get(id);
    if (entry === undefined) throw new PawlError("not_found", `No session "${id}".`);
    return entry;
  };
  const current = ({ sessionId, holder, epoch }: Lease): Entry | undefined => {
    const entry = entries.get(sessionId);
    return entry?.holder === holder && entry.epoch === epoch ? entry : undefined;
  };
  return {
    append: async (sessionId, events, options) => append(existing(sessionId), events, options, now()),
    read: (sessionId, options) => read(entries.get(sessionId)?.events ?? [], options),
    async acquire(sessionId, holder, ttlMs) {
      checkNames(holder);
      const entry = existing(sessionId);
      if (entry.holder !== holder && isLive(entry, now())) return undefined;
      entry.holder = holder;
      entry.expires = now() + ttlMs;
      entry.epoch += 1;
      return Object.freeze({ sessionId, holder, epoch: entry.epoch });
    },
    async renew(lease, ttlMs) {
      const entry = current(lease);
      if (entry !== undefined) entry.expires = now() + ttlMs;
      return entry !== undefined;
    },
    async release(lease) {
      const entry = current(lease);
      if (entry !== undefined) entry.holder = undefined;
    },
    async listRecoverable({ limit, agents }) {
      return Array.from(entries.values())
        .filter(({ row }) => row.openRun !== null && row.status !== "suspended")
        .filter((entry) => !isLive(entry, now()) && (agents?.includes(entry.row.agent) ?? true))
        .map((entry) => deepFreeze(entry.row))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0))
        .slice(0, limit);
    },
    sessions: {
      async create(session) {
        if (entries.has(session.id))
          throw new PawlError("conflict", `There is a session "${session.id}" already.`);
        const entry = newEntry(session, now());
        entries.set(session.id, entry);
        return deepFreeze(entry.row);
      },
      get: async (id) => deepFreeze(entries.get(id)?.row),
      list: async (options) => list(entries, options),
    },
  };
}

function isLive(entry: Entry, now: number): boolean {
  return entry.holder !== undefined && entry.expires > now;
}

function newEntry({ id, userId, agent, metadata }: NewSession, now: number): Entry {
  checkNames(id, userId, agent);
  const at = new Date(now).toISOString();
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
    contextStartSeq: 0,
    usage: { ...noUsage },
    costCents: 0,
    metadata: JSON.parse(jsonbText(metadata ?? {})) as JsonObject,
  };
  return {
    row,
    events: [],
    keys: new Map(),
    appends: new Map(),
    epoch: 0,
    holder: undefined,
    expires: 0,
  };
}

/** One append; everything that can fail does so before the first change. */
function append(
  entry: Entry,
  events: readonly NewEvent[],
  options: AppendOptions,
  now: number,
): readonly StoredEvent[] {
  const { appendId, lease, afterSeq, release } = options;
  const before = entry.appends.get(appendId);
  if (before !== undefined) return before;
  checkBatch(events, appendId);
  const { id, lastSeq } = entry.row;
  if (
    lease !== undefined &&
    (lease.sessionId !== id || lease.holder !== entry.holder || lease.epoch !== entry.epoch)
  )
    throw new PawlError("fenced", `"${lease.holder}" no longer has the lease of session "${id}".`);
  if (afterSeq !== undefined && afterSeq !== lastSeq)
    throw new PawlError("conflict", `Session "${id}" is at ${lastSeq}, not at ${afterSeq}.`, {
      details: { lastSeq },
    });
  for (const { key } of events) {
    const holder = key === undefined ? undefined : entry.keys.get(key);
    if (holder !== undefined)
      throw new PawlError("key_taken", `Session "${id}" has an event "${key}" already.`, {
        details: { key, event: holder },
      });
  }
  const at = new Date(Math.max(now, Date.parse(entry.row.updatedAt))).toISOString();
  const stored = events.map((event, index) => toStored(event, id, lastSeq + index + 1, at));
  const row = patched(entry.row, options.session ?? {}, lastSeq + stored.length, at);

  for (const event of stored) {
    entry.events.push(event);
    if (event.key !== undefined) entry.keys.set(event.key, event);
  }
  entry.appends.set(appendId, Object.freeze(stored));
  entry.row = row;
  if (release === true) entry.holder = undefined;
  return stored;
}

function patched(row: Session, patch: SessionPatch, lastSeq: number, updatedAt: string): Session {
  const metadata =
    patch.metadata === undefined
      ? row.metadata
      : { ...row.metadata, ...(JSON.parse(jsonbText(patch.metadata)) as JsonObject) };
  return {
    ...row,
    lastSeq,
    updatedAt,
    status: statusAfter(row.status, patch),
    openRun: patch.openRun === undefined ? row.openRun : patch.openRun,
    pending: row.pending + (patch.addPending ?? 0),
    contextStartSeq: patch.contextStartSeq ?? row.contextStartSeq,
    usage: patch.addUsage === undefined ? row.usage : addUsage(row.usage, patch.addUsage),
    costCents: row.costCents + (patch.addCostCents ?? 0),
    metadata,
  };
}

/** No generator: one costs several turns of the microtask queue for every event, and everybody reads everything. */
function read(
  events: readonly StoredEvent[],
  { afterSeq = 0, types, limit }: ReadOptions = {},
): AsyncIterable<StoredEvent> {
  const later = events.slice(Math.max(0, afterSeq));
  const wanted = types === undefined ? later : later.filter(({ type }) => types.some((one) => one === type));
  const found = wanted.slice(0, limit).values();
  return { [Symbol.asyncIterator]: () => ({ next: async () => found.next() }) };
}

function list(entries: ReadonlyMap<string, Entry>, options: ListSessions): Session[] {
  const { userId, agent, status, limit = 50 } = options;
  return Array.from(entries.values(), (entry) => deepFreeze(entry.row))
    .reverse()
    .filter(
      (row) =>
        row.userId === userId &&
        (agent === undefined || row.agent === agent) &&
        (status === undefined || status.includes(row.status)),
    )
    .slice(0, limit);
}
