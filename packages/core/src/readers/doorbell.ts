import { inNextTurn } from "../base/next-turn.ts";

/** Wakes a reader when there may be something new. */
// `ring` sets no timer. On Cloudflare Workers a timer belongs to the request that sets it, and never fires if
// that request ends first. The run that rings often belongs to another request than the reader, and ends that
// request right after the last ring. A promise of the reader's request may be resolved from any request.
export class Doorbell {
  #rung = false;
  /** Wakes the reader that waits; `undefined` if it does not wait, or was woken. */
  #wake: (() => void) | undefined;

  /** Wakes the reader. If it is not waiting, its next `wait()` ends at once. */
  readonly ring = (): void => {
    this.#rung = true;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  };

  /**
   * Calls `callback` after a ring, also after one that came before this call. Rings in one turn of the event
   * loop, e.g. from one packet, count as one: the callback comes in the next turn.
   */
  wait(callback: () => void): void {
    const wakeInNextTurn = () =>
      inNextTurn(() => {
        this.#rung = false;
        callback();
      });
    if (this.#rung) wakeInNextTurn();
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      void promise.then(wakeInNextTurn);
    }
  }
}
