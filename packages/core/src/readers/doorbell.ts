/** Wakes a reader when there may be something new. */
interface Doorbell {
  ring(): void;
  /**
   * Resolves after a ring, including one that came before the call. Rings in one turn of the event loop, e.g.
   * from one packet, count as one: a reader wakes after the last of them.
   */
  wait(): Promise<void>;
  close(): void;
}

/** Creates a doorbell. An abort of one of the signals rings it too. */
// `ring` sets no timer. On Cloudflare Workers a timer belongs to the request that sets it, and never fires if
// that request ends first. A ring often comes from another request than the reader's, and the last one, of
// `run_ended`, right before that request ends. A promise of the reader's request may be resolved from any
// request.
export function doorbell(signals: readonly (AbortSignal | undefined)[]): Doorbell {
  let rung = false;
  let answer: (() => void) | undefined;
  const ring = () => {
    rung = true;
    answer?.();
  };
  for (const signal of signals) signal?.addEventListener("abort", ring);
  return {
    ring,
    async wait() {
      if (!rung) {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        answer = undefined;
      }
      await eventLoopTurn();
      rung = false;
    },
    close: () => {
      for (const signal of signals) signal?.removeEventListener("abort", ring);
    },
  };
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (globalThis.setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}
