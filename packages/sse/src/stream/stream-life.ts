/**
 * What happens at the end of a stream's life: `true` begins another life, a text is sent as the last one,
 * `false` breaks the body off.
 */
export type Renewal = boolean | string;

/** How long the body of a stream lasts. */
export interface StreamLife {
  /** Milliseconds of one life. */
  lifeMs: number;
  /**
   * Called at the end of each life. No event is sent until it has resolved, and if it rejects, the body
   * breaks off. Default: the body ends although there may be more events, so that its client connects again.
   */
  renew?: () => Promise<Renewal>;
}

/** The default of `reauthorizeMs`. */
const REAUTHORIZE_MS = 300_000;

/** Returns the length of a stream's life. */
export function lifeMsOf(reauthorizeMs: number = REAUTHORIZE_MS): number {
  // At random, so that clients that have connected together do not come back together.
  return reauthorizeMs * (1 - Math.random() / 10);
}

/** The longest time of a timer, in milliseconds. */
const LONGEST_MS = 2_147_483_647;

/** The life of one stream. */
export interface Living {
  /** Settles before the next event may be sent. Does not reject. */
  renewed(): Promise<void> | undefined;
  /** Ends the life, because the stream has closed. */
  close(): void;
}

/** Begins a stream's life. Calls `end` or `fail` once if the life ends before the stream is closed. */
export function beginLife(
  { lifeMs, renew = async () => "" }: StreamLife,
  { end, fail }: { end(last: false | string): void; fail(error: unknown): void },
): Living {
  let isOpen = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewed: Promise<void> | undefined;
  const begin = () => {
    if (isOpen && lifeMs < LONGEST_MS) timer = setTimeout(expire, lifeMs);
  };
  const renewing = async () => {
    try {
      const renewal = await renew();
      if (renewal === true) begin();
      else if (isOpen) end(renewal);
    } catch (error) {
      if (isOpen) fail(error);
    }
  };
  const expire = () => {
    renewed = renewing();
  };
  begin();
  return {
    renewed: () => renewed,
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}
