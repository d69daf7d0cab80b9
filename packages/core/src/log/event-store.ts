import type { JsonObject } from "../base/json.ts";
import type { EventType, ExtensionType, NewEvent, StoredEvent } from "./event.ts";
import type { Session, SessionPatch, SessionStatus } from "./session-row.ts";

/** The right to run a session, as its only leg. Every acquisition raises the epoch. */
export interface Lease {
  readonly sessionId: string;
  /** Who holds it; every leg uses a new name. */
  readonly holder: string;
  /** Rises with every acquisition of the session's lease. */
  readonly epoch: number;
}

/** Options of {@link EventStore.append}. */
export interface AppendOptions {
  /**
   * New for every append. Repeating an append under the same id returns the rows that the first one stored.
   * If they differ from the given events in number, type or key, the append is refused with `fenced`.
   */
  appendId: string;
  /**
   * Rejects with `fenced` unless this is the session's current lease. Only the epoch counts: an expired lease
   * that nobody else has acquired is still current.
   */
  lease?: Lease;
  /** Rejects with `conflict` unless this is the last `seq` of the session. */
  afterSeq?: number;
  /**
   * Give the lease back in the same statement. Without `lease`, this ends the session's current lease,
   * whoever holds it.
   */
  release?: boolean;
  /**
   * Changes to the session's row, in the same statement. A status that may not be left stays, see
   * {@link SessionStatus}; the rest of the append is stored.
   */
  session?: SessionPatch;
}

/** Which events {@link EventStore.read} returns. Default: all. */
export interface ReadOptions {
  /** Only events after this `seq`. */
  afterSeq?: number;
  /** Only events of these types. */
  types?: readonly (EventType | ExtensionType)[];
  /** The most events to return. */
  limit?: number;
}

/** A session to create. */
export interface NewSession {
  /** The id of the new session, 1 to 1,000 bytes of UTF-8. */
  id: string;
  /** The owner of the new session. */
  userId: string;
  /** The name of the session's agent. */
  agent: string;
  /**
   * The application's data; its `type` is the session's type. Default: `{}`. A NUL or half a surrogate pair
   * in its texts is stored as U+FFFD.
   */
  metadata?: JsonObject;
}

/** Which sessions to list: the last created first, whatever was appended to them since. */
export interface ListSessions {
  /** Only sessions of this user. */
  userId: string;
  /** Only sessions of this agent. */
  agent?: string;
  /** Only sessions with one of these statuses. */
  status?: readonly SessionStatus[];
  /** How many to return. Default: 50. */
  limit?: number;
}

/** Which sessions {@link EventStore.listRecoverable} returns: at most `limit`, of these agents. */
export interface RecoverableOptions {
  limit: number;
  agents?: readonly string[];
}

/**
 * Stores the logs, which are the only state. Test an adapter with `eventStoreContract` of `@pawl/testing`.
 *
 * Every method rejects with a {@link PawlError}:
 *
 * - `not_found` for an unknown session. Exceptions: `read` yields nothing, `renew` returns `false`, and
 *   `release` does nothing.
 * - `invalid_input` for values that cannot be stored.
 * - `forbidden` if the store is used with a user's own rights and they are not sufficient.
 * - `store_unavailable` for any failure of the store itself.
 */
export interface EventStore {
  /**
   * Stores all events or none, in order, numbered without gaps, in one round trip.
   *
   * All events of an append have the same `at`, which is also the row's `updatedAt`. Both never go back, even
   * if the clock does. Payloads come back exactly as `JSON.stringify` writes them, to the order of keys.
   *
   * An append is checked in this order:
   * 1. `invalid_input` for an append that could never be stored, `not_found` for an unknown session.
   * 2. A repeated append id: returns the rows of the first time, or rejects with `fenced`.
   * 3. `fenced`, see {@link AppendOptions.lease}.
   * 4. `conflict`, see {@link AppendOptions.afterSeq}, with the log's last `seq` in `details.lastSeq`.
   * 5. `key_taken`, with the event that holds the key in `details.event`.
   *
   * `invalid_input`: no events, one key twice, data that is not JSON, or an append id, type or key that is
   * empty, holds a NUL or half a surrogate pair, or is longer than 1,000 bytes of UTF-8. See
   * {@link checkBatch}.
   */
  append(
    sessionId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /** Reads events in the order of `seq`. Yields nothing for an unknown session. */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Calls back with the last `seq` after every append to the session, by any writer, until the returned
   * function is called. Only for stores that notice every append: their idle readers query the store once a
   * minute instead of every `pollMs`. See {@link watchedStore}.
   */
  watch?(sessionId: string, onAppend: (seq: number) => void): () => void;
  /**
   * The lease, or `undefined` while another holder's is live. The same holder gets a new lease, which fences
   * the old one: holders are named anew for every leg. Time is the store's own. Acquiring, renewing and
   * releasing do not change the session's row. Rejects with `invalid_input` for a holder that is empty or
   * cannot be stored, see {@link checkNames}.
   */
  acquire(sessionId: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /**
   * Extends the lease to `ttlMs` milliseconds from now. Returns `false` if it is no longer the current one.
   */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Releases the lease. Does nothing if it is not the current one. */
  release(lease: Lease): Promise<void>;
  /**
   * Sessions of these agents (default: of all) whose run is to be resumed. They have an open run and no live
   * lease, and are either not `suspended` (so also after an `error`) or have no pending question. Longest
   * untouched first, by `updatedAt`.
   */
  listRecoverable(options: RecoverableOptions): Promise<readonly Session[]>;
  readonly sessions: {
    /** Rejects with `conflict` when the id is taken. */
    create(session: NewSession): Promise<Session>;
    get(id: string): Promise<Session | undefined>;
    list(options: ListSessions): Promise<readonly Session[]>;
  };
}
