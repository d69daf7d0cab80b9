import type { Transport } from "./sdk.ts";

/**
 * The stream in which a server of an older protocol sends what belongs to no request of its session, e.g.
 * its questions. It is open while requests are that the server may ask about.
 */
export interface SessionStream {
  /**
   * Opens the stream for a request, unless it is open. Returns `undefined` if there is no session, or the
   * server has no such stream.
   */
  join(): Joined | undefined;
  /** Answers the SDK's `GET` that is for no request. */
  fetch(input: string | URL | Request, init: RequestInit): Promise<Response>;
}

/** A request's part in the stream. */
export interface Joined {
  /** Resolves as soon as the stream is open, or the request must not wait for it any longer. */
  ready: Promise<void>;
  /** Closes the stream after the last request. */
  leave(): void;
}

/** The methods during which servers ask. */
const ASKING: readonly string[] = ["tools/call", "tasks/result", "prompts/get", "resources/read"];

/** Returns whether a server may ask something before it answers a request. */
export function mayAsk(method: string): boolean {
  return ASKING.includes(method);
}

/**
 * How long a request waits for the stream, in milliseconds: the first one, later ones of a server that has
 * answered in this time, and those of one that has not. A server that has not read the `GET` first would drop
 * its question, but some send nothing before their first event.
 */
const HEAD_START_MS = { first: 250, prompt: 1_000, slow: 100 };

/** How many times a stream that breaks off is opened again. */
const MOST_RESUMPTIONS = 2;

/** The pauses before a server is asked again that still has the stream before (409), in milliseconds. */
const BUSY_PAUSES_MS = [50, 100, 200];

/** The `last-event-id` by which we know our own `GET`. It is not sent. */
const FIRST = "pawl:first";

/**
 * Makes the stream of a transport that is not yet watched. `open` sends a request, and limits its response.
 */
export function newSessionStream(transport: Transport, open: SessionStream["fetch"]): SessionStream {
  const send = transport.send.bind(transport);
  let requests = 0;
  let resumed = 0;
  let headStartMs = HEAD_START_MS.first;
  let isOffered = true;
  let ending = new AbortController();
  let ready = Promise.resolve();
  let release = (_isAnswered: boolean): void => undefined;

  function begin(): void {
    ending = new AbortController();
    resumed = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      headStartMs = HEAD_START_MS.slow;
      resolve();
    }, headStartMs);
    ready = promise;
    release = (isAnswered) => {
      clearTimeout(timer);
      if (isAnswered && !isLate) headStartMs = HEAD_START_MS.prompt;
      resolve();
    };
    const options = { resumptionToken: FIRST, requestSignal: ending.signal };
    // The SDK has no other way to open the stream with a signal. With a token it sends no message.
    void send({ jsonrpc: "2.0", method: "notifications/none" }, options).catch(() => undefined);
  }

  return {
    join: () => {
      if (!isOffered || transport.sessionId === undefined) return undefined;
      requests += 1;
      if (requests === 1) begin();
      let isLeft = false;
      const leave = (): void => {
        if (isLeft) return;
        isLeft = true;
        requests -= 1;
        if (requests > 0) return;
        release(false);
        ending.abort();
      };
      return { ready, leave };
    },
    fetch: async (input, init) => {
      // Not that of a stream which is opened later.
      const answered = release;
      const headers = new Headers(init.headers);
      const isFirst = headers.get("last-event-id") === FIRST;
      if (requests === 0 || (!isFirst && resumed === MOST_RESUMPTIONS)) return none();
      if (isFirst) headers.delete("last-event-id");
      else resumed += 1;
      try {
        const response = await asked(open, input, { ...init, headers });
        const { ok, status } = response;
        answered(true);
        if (ok && isEvents(response)) return response;
        await response.body?.cancel();
        // With another token or later, it may have one.
        isOffered = status === 401 || status === 409 || status >= 500;
        return none();
      } finally {
        answered(false);
      }
    },
  };
}

/** Sends a `GET`, and again after a while if the server still has the stream before. */
async function asked(
  open: SessionStream["fetch"],
  input: string | URL | Request,
  init: RequestInit,
): Promise<Response> {
  for (const ms of BUSY_PAUSES_MS) {
    const response = await open(input, init);
    if (response.status !== 409) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return await open(input, init);
}

/** What the SDK gets if there is no stream. It does not ask again. */
function none(): Response {
  return new Response(null, { status: 405 });
}

function isEvents({ headers }: Response): boolean {
  return /^\s*text\/event-stream/i.test(headers.get("content-type") ?? "");
}
