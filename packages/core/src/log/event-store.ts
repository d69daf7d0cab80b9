import type { JsonObject } from "../base/json.ts";
import type { EventType, ExtensionType, NewEvent, StoredEvent } from "./event.ts";
import type { Session, SessionPatch, SessionStatus } from "./session-row.ts";

/** The right to write as the one leg that works on a session. Every acquisition raises the epoch. */
export interface Lease {
  readonly sessionId: string;
  readonly holder: string;
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
   * Refuse with `fenced` unless this is the session's current lease. Its expiry does not matter, only its
   * epoch.
   */
  lease?: Lease;
  /** Refuse with `conflict` unless this is the last `seq` of the session. */
  afterSeq?: number;
  /** Give the lease back in the same statement. */
  release?: boolean;
  /**
   * What changes in the session's row, in the same statement. A status that may not be left stays, see
   * {@link SessionStatus}; all else of the append is stored.
   */
  session?: SessionPatch;
}

/** Which events {@link EventStore.read} returns. Default: all. */
export interface ReadOptions {
  /** Only events after this `seq`. */
  afterSeq?: number;
  types?: readonly (EventType | ExtensionType)[];
  limit?: number;
}

/** A session that is to be created. */
export interface NewSession {
  id: string;
  userId: string;
  agent: string;
  metadata?: JsonObject;
}

/** Which sessions to list. */
export interface ListSessions {
  userId: string;
  agent?: string;
  status?: readonly SessionStatus[];
  /** Newest first; default 50. */
  limit?: number;
}

/** Which sessions {@link EventStore.listRecoverable} returns: at most `limit`, of these agents. */
export interface RecoverableOptions {
  limit: number;
  agents?: readonly string[];
}

/**
 * The log, and the only state there is. An adapter is right when `eventStoreContract` of `@pawl/testing`
 * passes.
 *
 * Every method rejects with a {@link PawlError}: `not_found` for an unknown session (but `read` finds nothing
 * there, `renew` is `false` and `release` does nothing), `invalid_input` for what cannot be stored,
 * `forbidden` where the store is asked with somebody's own rights and they are not enough, and
 * `store_unavailable` for anything that the store itself cannot do.
 */
export interface EventStore {
  /**
   * Stores all events or none, in order, numbered without gaps, in one round trip. A repeated append id comes
   * before everything else; then it rejects with `fenced`, `conflict` or `key_taken` (with the event that
   * holds the key in `details.event`), in this order. `invalid_input`: no events, one key twice, data that is
   * not JSON, an id, type or key that is empty, holds a NUL or half a surrogate pair, or is longer than 1,000
   * bytes.
   */
  append(
    sessionId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /** Events in the order of `seq`. Unknown session: none. */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Calls back with the last `seq` after every append to the session, by any writer, until the returned
   * function is called. Only for stores that notice every append: their idle readers query the store once a
   * minute instead of every `pollMs`. See {@link watchedStore}.
   */
  watch?(sessionId: string, onAppend: (seq: number) => void): () => void;
  /**
   * The lease, or `undefined` while another holder's is live. The same holder gets a new lease, which fences
   * the old one: holders are named anew for every leg. Time is the store's own.
   */
  acquire(sessionId: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** Makes the lease last `ttlMs` from now. `false`: it is not the current one any more. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Gives the lease back; nothing happens if it is not the current one. */
  release(lease: Lease): Promise<void>;
  /**
   * Sessions of these agents (default: of all) whose run is to be resumed. They have an open run and no live
   * lease, and are either not `suspended` or have no pending question. Longest untouched first.
   */
  listRecoverable(options: RecoverableOptions): Promise<readonly Session[]>;
  readonly sessions: {
    /** Rejects with `conflict` when the id is taken. */
    create(session: NewSession): Promise<Session>;
    get(id: string): Promise<Session | undefined>;
    list(options: ListSessions): Promise<readonly Session[]>;
  };
}
