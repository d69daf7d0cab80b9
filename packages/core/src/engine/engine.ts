/** When and for whom a session is woken. */
export interface WakeOptions {
  /**
   * When to wake the session, in milliseconds from now, by the engine's clock. A finite number; 0 or less
   * means at once. Default: 0.
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
   * Aborts if the engine takes the session back, e.g. because it has lost the connection to this worker. The
   * worker then leaves the run to another one. The reason is a `TimeoutError` if the time for the call is
   * over, see `Runtime.recover`.
   */
  readonly signal?: AbortSignal;
}

/**
 * Continues a session, and resolves once this process is done with it. Never rejects: if a session cannot be
 * continued, the handler has the engine wake it again.
 */
export type WokenHandler = (woken: WokenSession) => Promise<void>;

/** The part of an engine that works in this process. */
export interface EngineWorker {
  /** Takes no more sessions, and resolves once the handler has returned for those that were taken. */
  stop(): Promise<void>;
}

/**
 * Wakes sessions in some process. An engine decides nothing: the log says what is next, and a lease lets one
 * process at a time work on a session. So a wake may come twice, too late or needlessly. If an engine loses a
 * wake, the runtime's next sweep finds the session. Test your own engine with `engineContract` of
 * `@pawl/testing`.
 */
export interface Engine {
  /**
   * Wakes a session: calls the handler of one worker for it, at least once.
   *
   * - Several wakes of one session that wait for a worker may lead to one call. A wake must not wait for
   *   another one with a longer `afterMs`.
   * - A wake during a call for the session leads to another call.
   */
  wake(sessionId: string, options?: WakeOptions): Promise<void>;
  /**
   * Cancels the wakes of a session, as far as the engine can. A wake may still come. The runtime does not
   * call this, because a needless wake changes nothing. Call it e.g. for a session that you have deleted.
   */
  cancel(sessionId: string): Promise<void>;
  /** Calls `handler` for each woken session. In this process, at most `concurrency` calls run at a time. */
  work(handler: WokenHandler, options: { concurrency: number }): Promise<EngineWorker>;
  /**
   * Whether the engine gives a session to one worker at a time, and to the next one only once it has given up
   * the worker before. Then the engine continues all runs except those with credentials. A worker takes over
   * the lease of the worker before at once. Default: false, a worker waits until that lease has expired.
   */
  readonly isExclusive?: boolean;
  /**
   * Whether `wake` takes a `transaction` of the runtime's store. Then a message or an answer for which this
   * process has no place is stored in one transaction with its wake. The runtime reads this each time. It may
   * be false until the engine is connected, because a wake in a transaction should not wait. Default: false.
   */
  readonly takesTransaction?: boolean;
}
