/** When and for whom a session is woken. */
export interface WakeOptions {
  /**
   * When to wake the session, in milliseconds from now. The engine measures it: clocks of machines differ.
   * A finite number; 0 and less are at once. Default: 0.
   */
  afterMs?: number;
  /** The owner of the session. An engine may share its workers fairly between users. */
  userId?: string;
  /**
   * A transaction in which the wake is to be stored, as the store's `appendWith` gives it. Only for engines
   * with `takesTransaction`. Default: none.
   */
  transaction?: unknown;
}

/** A session that an engine has woken. */
export interface WokenSession {
  readonly sessionId: string;
  /**
   * Aborts if the engine takes the session back, e.g. because it has lost the connection to this worker. Then
   * the run is left to another worker. With a `TimeoutError`, its time was over: see `Runtime.recover`.
   */
  readonly signal?: AbortSignal;
}

/**
 * Continues a session, and resolves once this process is done with it. Never rejects: a session that could
 * not be continued is woken again by the handler itself.
 */
export type WokenHandler = (woken: WokenSession) => Promise<void>;

/** The part of an engine that works in this process. */
export interface EngineWorker {
  /** Takes no more sessions, and resolves once the handler has returned for those that were taken. */
  stop(): Promise<void>;
}

/**
 * Wakes sessions in some process. An engine decides nothing: the log says what is next, and a lease lets one
 * process at a time work on a session. So a wake may come twice, too late or for nothing. Wakes that an
 * engine loses are found by the runtime's sweeps. Test your own engine with `engineContract` of
 * `@pawl/testing`.
 */
export interface Engine {
  /**
   * Wakes a session: calls the handler of one worker for it, at least once.
   *
   * - Wakes of one session that wait for a worker may be one call. A wake must not wait for one with a longer
   *   `afterMs`.
   * - A wake that comes during a call for the session leads to another call.
   */
  wake(sessionId: string, options?: WakeOptions): Promise<void>;
  /**
   * Forgets the wakes of a session, if the engine can. One may still come. The runtime does not call it,
   * because a wake for nothing changes nothing. Call it e.g. for a session that you have deleted.
   */
  cancel(sessionId: string): Promise<void>;
  /** Calls `handler` for woken sessions, for at most `concurrency` at a time in this process. */
  work(handler: WokenHandler, options: { concurrency: number }): Promise<EngineWorker>;
  /**
   * Whether the engine calls the handler of one worker at a time for a session, and only after it has given
   * up the worker before. Then the engine continues all runs but those with credentials, and a worker takes
   * the lease of the one before it at once. Default: false, a worker waits until that lease has expired.
   */
  readonly isExclusive?: boolean;
  /**
   * Whether `wake` takes a `transaction` of the runtime's store. Then a message or an answer for which this
   * process has no place is stored in one transaction with its wake. Read for each of them, so it may be true
   * only once the engine is connected: a wake in a transaction should not wait. Default: false.
   */
  readonly takesTransaction?: boolean;
}
