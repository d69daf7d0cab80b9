import type { JsonObject } from "../../base/json.ts";
import type { NewEvent, ReadOptions, StoredEvent } from "../event.ts";
import type { Session, SessionPatch, SessionStatus } from "../session-row.ts";
import type { Snapshot } from "./snapshot.ts";

/** The right to run a session for a limited time. One process at a time has it. */
export interface Lease {
  readonly sessionId: string;
  /** The name of the lease's holder. Every leg uses a new one. */
  readonly holder: string;
  /** A number that rises each time the session's lease is acquired. */
  readonly epoch: number;
}

/** A lease that was just acquired. */
export interface AcquiredLease extends Lease {
  /** When it was acquired, by the store's clock. ISO 8601 with milliseconds. */
  readonly acquiredAt: string;
}

/** Options of {@link EventStore.append}. */
export interface AppendOptions {
  /**
   * A unique id of this append, so that it can be repeated. If the log already has an append with this id,
   * nothing is stored, and the stored events are returned. If those differ from the given events in number,
   * type or key, the append rejects with `fenced`.
   */
  appendId: string;
  /**
   * Rejects with `fenced` unless this is the session's current lease. An expired lease stays current until it
   * is released or another one is acquired.
   */
  lease?: Lease;
  /** Rejects with `conflict` unless this is the last `seq` of the session. */
  afterSeq?: number;
  /**
   * Also releases the session's current lease, in the same statement, with or without `lease`. Default:
   * false.
   */
  release?: boolean;
  /**
   * Changes to the session's row, in the same statement. If the session must keep its status (see
   * {@link SessionStatus}), the status stays; all other changes are stored.
   */
  session?: SessionPatch;
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
   * Data of the application; `metadata.type` is the session's type. Default: `{}`. A NUL or half a surrogate
   * pair in a text is stored as U+FFFD.
   */
  metadata?: JsonObject;
}

/** A session to open, and for whom. */
export interface SessionToOpen {
  id: string;
  /** The owner. For other users the session does not exist. */
  userId: string;
  /** The name of the session's agent. */
  agent: string;
  /** Creates the session if it does not exist, with this metadata. Default: does not create it. */
  create?: Pick<NewSession, "metadata">;
  /** The name of the lease's holder, see {@link EventStore.acquire}. */
  holder: string;
  /** The duration of the lease in milliseconds. */
  ttlMs: number;
  /** Returns only events after this `seq`. Default: 0. */
  afterSeq?: number;
  /**
   * Also returns the session's snapshot, if it has one of this version and after `afterSeq`. The events then
   * begin after the snapshot. Default: no snapshot.
   */
  snapshot?: string;
}

/** A session that was opened. */
export interface OpenedSession {
  session: Session;
  /**
   * The session's lease. `undefined` while another holder's lease is live, and for a session that has expired
   * or belongs to another agent.
   */
  lease: AcquiredLease | undefined;
  /**
   * The session's next events, in order; none without the lease. A store may return fewer than there are. If
   * the last one is before `session.lastSeq`, read the rest with {@link EventStore.read}.
   */
  events: readonly StoredEvent[];
  /** The requested snapshot. Absent if the session has none, and without the lease. */
  snapshot?: Pick<Snapshot, "seq" | "state">;
}

/** Which sessions to list. The most recently created ones come first. */
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

/** Options of {@link EventStore.listRecoverable}. */
export interface RecoverableOptions {
  /** How many sessions to return at most. */
  limit: number;
  /** Only sessions of these agents. Default: of all agents. */
  agents?: readonly string[];
  /**
   * Returns a page of all recoverable sessions: the next ones after this id, in the order of their ids. With
   * `""`, the first page. The order is the store's own, e.g. that of an index; appends never change it.
   * Default: the least recently updated sessions come first.
   */
  after?: string;
}

/**
 * Stores the logs and rows of sessions, and grants leases. Test your own store with `eventStoreContract` of
 * `@pawl/testing`.
 *
 * Every method rejects with a {@link PawlError}:
 *
 * - `not_found` for an unknown session. Exceptions: `read` yields nothing, `renew` returns `false`, `release`
 *   does nothing, and `sessions.get` returns `undefined`.
 * - `invalid_input` for values that cannot be stored.
 * - `forbidden` if the store is used with a user's own rights and they are not sufficient.
 * - `store_unavailable` for any failure of the store itself.
 */
export interface EventStore {
  /**
   * Stores all events or none, in order and numbered without gaps, in one round trip.
   *
   * All events of an append have the same `at`, which is also the row's `updatedAt`. Neither ever decreases,
   * even if the clock is set back. Payloads are read back exactly as `JSON.stringify` writes them, including
   * the order of keys.
   *
   * An append is checked in this order:
   * 1. `invalid_input` for an append that could never be stored, `not_found` for an unknown session.
   * 2. A repeated append id: returns the stored events, or rejects with `fenced`, see
   *    {@link AppendOptions.appendId}.
   * 3. `fenced`, see {@link AppendOptions.lease}.
   * 4. `conflict`, see {@link AppendOptions.afterSeq}, with the log's last `seq` in `details.lastSeq`.
   * 5. `key_taken`, with the event that holds the key in `details.event`.
   *
   * `invalid_input` means: no events, one key twice, data that is not JSON or has more than 1,000 nested
   * levels, or an append id, type or key that is empty, holds a NUL or half a surrogate pair, or is longer
   * than 1,000 bytes of UTF-8. See {@link checkBatch} and {@link jsonText}.
   */
  append(
    sessionId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /**
   * Appends like {@link EventStore.append}, and calls `also` in the transaction that stores the events. Data
   * that `also` writes in this transaction is stored together with the events, or not at all. `also` is
   * called before the events are stored, and again if the transaction is repeated. If it rejects, nothing is
   * stored, and the promise rejects with its error. If the log already has the append id, nothing is stored,
   * not even the data of `also`.
   *
   * Optional: for stores over a database in which an {@link Engine} may keep its wakes. If your store wraps
   * another one and changes what `append` does, wrap this method, too, or set it to `undefined`.
   */
  appendWith?:
    | ((
        sessionId: string,
        events: readonly NewEvent[],
        options: AppendOptions,
        also: (transaction: unknown) => Promise<void>,
      ) => Promise<readonly StoredEvent[]>)
    | undefined;
  /**
   * Reads events in the order of `seq`. Yields nothing for an unknown session. A store that answers at once,
   * e.g. over a database in this process, gives way to other work now and then, as {@link readPages} does.
   */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Calls `onAppend` with the session's last `seq` after every append by any writer, until the returned
   * function is called. Implement this only if the store notices every append: readers of idle sessions then
   * query the store once a minute instead of every `times.pollMs`. See {@link watchedStore}.
   */
  watch?(sessionId: string, onAppend: (seq: number) => void): () => void;
  /**
   * Returns a session's row, acquires its lease and reads its events, in one round trip. Creates the session
   * first if `create` is set. Resolves to `undefined` if there is no such session, or it is another user's.
   * Rejects with `invalid_input` for a holder or a new session that cannot be stored.
   *
   * The same holder may call it again, e.g. because it did not get the result. It then gets a new lease, as
   * from `acquire`, and no second session.
   *
   * Optional. If a store lacks it, a runtime calls `sessions`, `acquire` and `read` instead. If your own
   * store wraps another one and changes what those return, wrap `open`, too, or set it to `undefined`.
   */
  open?: ((session: SessionToOpen) => Promise<OpenedSession | undefined>) | undefined;
  /**
   * Keeps a snapshot of the session for {@link EventStore.open}, in place of an earlier one. Does nothing if
   * `snapshot.seq` is not the session's last `seq`, or if there is no such session. An append with a
   * `redaction` deletes the snapshot in the same transaction, because it may have the redacted text. So does
   * deleting the session.
   *
   * Optional. If a store lacks it, every leg reads the whole log. If your store wraps another one and changes
   * the payloads of events, set it to `undefined`, and pass no `snapshot` to `open`.
   */
  saveSnapshot?: ((sessionId: string, snapshot: Snapshot) => Promise<void>) | undefined;
  /**
   * Acquires the session's lease for `ttlMs` milliseconds, by the store's clock. Returns `undefined` while
   * another holder's lease is live. A holder that acquires again gets a new lease, which fences the old one.
   * A lease is not live if it begins further in the future than its length: the clock was set back since.
   * Acquiring, renewing and releasing do not change the session's row. Rejects with `invalid_input` for a
   * holder that is empty or cannot be stored, see {@link checkNames}.
   */
  acquire(sessionId: string, holder: string, ttlMs: number): Promise<AcquiredLease | undefined>;
  /**
   * Extends the lease to `ttlMs` milliseconds from now. Returns `false` if the lease is no longer current.
   */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Releases the lease. Does nothing if the lease is no longer current. */
  release(lease: Lease): Promise<void>;
  /**
   * Lists sessions whose run should be resumed, the least recently updated first, or by their ids: see
   * {@link RecoverableOptions.after}. Such a session has an open run and no live lease, and one of these
   * holds:
   *
   * - Its `wakeAt` has passed, by the store's clock.
   * - Its `updatedAt` has not come yet, and its `wakeAt` is even later. The clock was set back since, so that
   *   the run would wait too long.
   * - It has no `wakeAt`, and its status is not `suspended`, or no question is pending.
   */
  listRecoverable(options: RecoverableOptions): Promise<readonly Session[]>;
  readonly sessions: {
    /** Creates a session. Rejects with `conflict` if the id is taken. */
    create(session: NewSession): Promise<Session>;
    get(id: string): Promise<Session | undefined>;
    list(options: ListSessions): Promise<readonly Session[]>;
  };
}
