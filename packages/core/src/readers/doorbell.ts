/** Wakes a reader when there may be something new. */
// `ring` sets no timer. On Cloudflare Workers a timer belongs to the request that sets it, and never fires if
// that request ends first. A ring often comes from another request than the reader's, and the last one, of
// `run_ended`, right before that request ends. A promise of the reader's request may be resolved from any
// request.
export class Doorbell {
  #rung = false;
  #answer: (() => void) | undefined;

  /** Wakes the reader, or keeps it from waiting the next time. */
  readonly ring = (): void => {
    this.#rung = true;
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.();
  };

  /**
   * Calls `then` after a ring, including one that came before the call. Rings in one turn of the event loop,
   * e.g. from one packet, count as one: a reader wakes after the last of them.
   */
  wait(then: () => void): void {
    const turn = () =>
      inNextTurn(() => {
        this.#rung = false;
        then();
      });
    if (this.#rung) turn();
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#answer = resolve;
      void promise.then(turn);
    }
  }
}

/** Calls back in the next turn of the event loop. */
export function inNextTurn(then: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(then, 0);
  else setImmediate(then);
}
