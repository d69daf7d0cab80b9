/** Receives what a {@link Supply} fetches. Exactly one of the functions is called for each `fetch`. */
export interface Taker<T> {
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
  fetch(to: Taker<T>): void;
  /** Whether the items that were fetched should not be handed out any more. The next `fetch` then ends. */
  isOver(): boolean;
  /** Frees what the supply holds, because its reader has left. */
  close(): Promise<void> | undefined;
}

type Result<T> = IteratorResult<T, void>;

/** One call of the iterator that could not be answered at once. */
interface WaitingCall<T> {
  promise: Promise<Result<T>>;
  resolve(result: Result<T>): void;
  reject(error: unknown): void;
  /** Ends the iterator instead of fetching; with an error, rejects with it. */
  leaves: { error?: unknown } | undefined;
}

const NO_ITEMS: readonly never[] = [];

/**
 * Hands out the items of a supply one by one, as an async generator does: concurrent calls are answered in
 * order, leaving early closes the supply, and nothing follows the end or an error. Calls in progress are in
 * the set `calls`.
 */
// Not a generator function, of which each item costs several promises and each idle reader a suspended
// function with its variables. A class, so that idle readers share its functions.
export class HandedOut<T> implements AsyncGenerator<T, void, undefined>, Taker<T> {
  readonly #supply: Supply<T>;
  readonly #calls: Set<Promise<unknown>>;
  #batch: readonly T[] = NO_ITEMS;
  #at = 0;
  #isOver = false;
  /** The call in progress. */
  #call: WaitingCall<T> | undefined;
  /** Calls that were made meanwhile. */
  #later: WaitingCall<T>[] | undefined;

  constructor(supply: Supply<T>, calls: Set<Promise<unknown>>) {
    this.#supply = supply;
    this.#calls = calls;
  }

  next(): Promise<Result<T>> {
    if (this.#call === undefined && this.#hasOne()) return Promise.resolve(this.#take());
    return this.#ask(undefined);
  }

  return(): Promise<Result<T>> {
    return this.#ask({});
  }

  throw(error: unknown): Promise<Result<T>> {
    return this.#ask({ error });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  batch(items: readonly T[]): void {
    this.#batch = items;
    this.#at = 0;
    if (this.#hasOne()) this.#settle()?.resolve(this.#take());
    else this.#supply.fetch(this);
    this.#beginLater();
  }

  end(): void {
    this.#isOver = true;
    this.#settle()?.resolve({ done: true, value: undefined });
    this.#beginLater();
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#settle()?.reject(error);
    this.#beginLater();
  }

  #hasOne(): boolean {
    return this.#at < this.#batch.length && !this.#supply.isOver();
  }

  #take(): Result<T> {
    const value = this.#batch[this.#at] as T;
    this.#at += 1;
    // An idle reader keeps none of the items that it has handed out.
    if (this.#at === this.#batch.length) this.#batch = NO_ITEMS;
    return { done: false, value };
  }

  #ask(leaves: WaitingCall<T>["leaves"]): Promise<Result<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<Result<T>>();
    this.#calls.add(promise);
    const call = { promise, resolve, reject, leaves };
    if (this.#call === undefined) this.#begin(call);
    else {
      this.#later ??= [];
      this.#later.push(call);
    }
    return promise;
  }

  #begin(call: WaitingCall<T>): void {
    this.#call = call;
    if (call.leaves !== undefined) this.#leave(call.leaves);
    else if (this.#isOver) this.end();
    else if (this.#hasOne()) this.#settle()?.resolve(this.#take());
    else {
      this.#batch = NO_ITEMS;
      this.#supply.fetch(this);
    }
  }

  #leave(leaves: { error?: unknown }): void {
    const left = () => ("error" in leaves ? this.fail(leaves.error) : this.end());
    this.#batch = NO_ITEMS;
    const closing = this.#isOver ? undefined : this.#supply.close();
    if (closing === undefined) left();
    else closing.then(left, (error: unknown) => this.fail(error));
  }

  /** Returns the call in progress, which the caller settles. */
  #settle(): WaitingCall<T> | undefined {
    const call = this.#call;
    this.#call = undefined;
    if (call !== undefined) this.#calls.delete(call.promise);
    return call;
  }

  #beginLater(): void {
    const later = this.#later;
    if (later === undefined) return;
    // Taken out while it runs, so that a call that is settled at once does not begin the next one in its own
    // stack frame.
    this.#later = undefined;
    let at = 0;
    while (this.#call === undefined && at < later.length) {
      this.#begin(later[at] as WaitingCall<T>);
      at += 1;
    }
    if (at < later.length) this.#later = later.slice(at);
  }
}
