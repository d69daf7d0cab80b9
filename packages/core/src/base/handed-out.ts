/** Receives the batches of a {@link Supply}. Each `fetch` leads to exactly one call of these methods. */
export interface BatchReceiver<T> {
  /** Hands over the next items; at least one. */
  batch(items: readonly T[]): void;
  /** Reports the end. Nothing is fetched afterwards. */
  end(): void;
  /** Reports a failure, which ends the supply too. */
  fail(error: unknown): void;
}

/** Where an iterator gets its items from, in batches. */
export interface Supply<T> {
  /** Fetches the next batch, at once or later. Not called while an earlier call is in progress. */
  fetch(to: BatchReceiver<T>): void;
  /**
   * Returns whether to hand out no more items, not even those that were fetched. The next `fetch` then
   * reports the end.
   */
  isOver(): boolean;
  /** Frees the supply's resources, because its reader left early. Returns a promise if that takes time. */
  close(): Promise<void> | undefined;
}

type Result<T> = IteratorResult<T, void>;

/** One call of the iterator that could not be answered at once. */
interface WaitingCall<T> {
  promise: Promise<Result<T>>;
  resolve(result: Result<T>): void;
  reject(error: unknown): void;
  /**
   * `undefined` for `next()`. For `return()` an empty object, and for `throw()` the error with which the call
   * rejects: both end the iterator instead of fetching.
   */
  exit: { error?: unknown } | undefined;
}

const NO_ITEMS: readonly never[] = [];

/**
 * Hands out the items of a supply one by one, as an async generator does. Concurrent calls are answered in
 * order, leaving early closes the supply, and nothing follows the end or an error. The set `calls` contains
 * the promises of the calls in progress.
 */
// Not a generator function: it would create several promises for each item, and keep a suspended function for
// each idle reader. A class, so that idle readers share its methods.
export class BatchIterator<T> implements AsyncGenerator<T, void, undefined>, BatchReceiver<T> {
  readonly #supply: Supply<T>;
  readonly #calls: Set<Promise<unknown>>;
  #batch: readonly T[] = NO_ITEMS;
  #position = 0;
  #isOver = false;
  /** The call in progress. */
  #call: WaitingCall<T> | undefined;
  /** Calls that were made while `#call` was in progress. */
  #queued: WaitingCall<T>[] | undefined;

  constructor(supply: Supply<T>, calls: Set<Promise<unknown>>) {
    this.#supply = supply;
    this.#calls = calls;
  }

  next(): Promise<Result<T>> {
    if (this.#call === undefined && this.#hasItem()) return Promise.resolve(this.#takeItem());
    return this.#enqueue(undefined);
  }

  return(): Promise<Result<T>> {
    return this.#enqueue({});
  }

  throw(error: unknown): Promise<Result<T>> {
    return this.#enqueue({ error });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  batch(items: readonly T[]): void {
    this.#batch = items;
    this.#position = 0;
    if (this.#hasItem()) this.#takeCall()?.resolve(this.#takeItem());
    // The supply is over. It reports the end.
    else this.#supply.fetch(this);
    this.#beginQueued();
  }

  end(): void {
    this.#isOver = true;
    this.#takeCall()?.resolve({ done: true, value: undefined });
    this.#beginQueued();
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#takeCall()?.reject(error);
    this.#beginQueued();
  }

  #hasItem(): boolean {
    return this.#position < this.#batch.length && !this.#supply.isOver();
  }

  #takeItem(): Result<T> {
    const value = this.#batch[this.#position] as T;
    this.#position += 1;
    // An idle reader keeps none of the items that it has handed out.
    if (this.#position === this.#batch.length) this.#batch = NO_ITEMS;
    return { done: false, value };
  }

  #enqueue(exit: WaitingCall<T>["exit"]): Promise<Result<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<Result<T>>();
    this.#calls.add(promise);
    const call = { promise, resolve, reject, exit };
    if (this.#call === undefined) this.#begin(call);
    else {
      this.#queued ??= [];
      this.#queued.push(call);
    }
    return promise;
  }

  #begin(call: WaitingCall<T>): void {
    this.#call = call;
    if (call.exit !== undefined) this.#leave(call.exit);
    else if (this.#isOver) this.end();
    else if (this.#hasItem()) this.#takeCall()?.resolve(this.#takeItem());
    else {
      this.#batch = NO_ITEMS;
      this.#supply.fetch(this);
    }
  }

  #leave(exit: { error?: unknown }): void {
    const settle = () => ("error" in exit ? this.fail(exit.error) : this.end());
    this.#batch = NO_ITEMS;
    const closing = this.#isOver ? undefined : this.#supply.close();
    if (closing === undefined) settle();
    else closing.then(settle, (error: unknown) => this.fail(error));
  }

  /** Returns the call in progress, for the caller to settle, and forgets it. */
  #takeCall(): WaitingCall<T> | undefined {
    const call = this.#call;
    this.#call = undefined;
    if (call !== undefined) this.#calls.delete(call.promise);
    return call;
  }

  #beginQueued(): void {
    const queued = this.#queued;
    if (queued === undefined) return;
    // Empty during the loop. If a call is settled at once, this method is called again and must not begin the
    // next call, or the stack could overflow.
    this.#queued = undefined;
    let begun = 0;
    while (this.#call === undefined && begun < queued.length) {
      this.#begin(queued[begun] as WaitingCall<T>);
      begun += 1;
    }
    if (begun < queued.length) this.#queued = queued.slice(begun);
  }
}
