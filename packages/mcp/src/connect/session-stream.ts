import type { Transport } from "./sdk.ts";

/**
 * The stream of a session with a server of an older protocol (a `GET`). The server sends messages in it that
 * belong to no request, e.g. questions. It is open while requests are in flight during which a server may
 * ask.
 */
export interface SessionStream {
  /**
   * Opens the stream for a request, unless it is open already. Returns `undefined` if there is no session, or
   * if the server has no such stream.
   */
  join(): Joined | undefined;
  /** Answers a `GET` by which the SDK opens the stream, or resumes it. */
  fetch(input: string | URL | Request, init: RequestInit): Promise<Response>;
}

/** The use of the stream by one request. */
export interface Joined {
  /** Resolves when the stream is open, or when the request has waited long enough. */
  ready: Promise<void>;
  /** Ends the use. The last one closes the stream. */
  leave(): void;
}

/** The methods during which a server may ask. */
const ASKING: readonly string[] = ["tools/call", "tasks/result", "prompts/get", "resources/read"];

/** Returns whether a server may ask something before it answers a request. */
export function mayAsk(method: string): boolean {
  return ASKING.includes(method);
}

/**
 * How long a request waits for the stream to open, in milliseconds: `first` the first time, then `prompt` if
 * the server has opened it in time, or else `slow`. A question that a server asks before it has read the
 * `GET` is lost. But some servers send no headers before their first event, so no request can wait for them.
 */
const HEAD_START_MS = { first: 250, prompt: 1_000, slow: 100 };

/** How many times a stream that breaks off is opened again. */
const MOST_RESUMPTIONS = 2;

/** The pauses before each repetition of a `GET` that the server refused as busy (409), in milliseconds. */
const BUSY_PAUSES_MS = [50, 100, 200];

/** The `last-event-id` that marks our own `GET`. It is not sent. */
const FIRST = "pawl:first";

/**
 * Creates the session stream of a transport, before `watched()` wraps its `send`. `open` sends a request, and
 * limits the response.
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
      // Kept, because a stream that is opened later replaces it.
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
        // After these, the server may have a stream later, or for another token.
        isOffered = status === 401 || status === 409 || status >= 500;
        return none();
      } finally {
        answered(false);
      }
    },
  };
}

/** Sends a `GET`. Repeats it after pauses while the server still holds the previous stream. */
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

/** Returns the response for the SDK if there is no stream. The SDK does not ask again. */
function none(): Response {
  return new Response(null, { status: 405 });
}

function isEvents({ headers }: Response): boolean {
  return /^\s*text\/event-stream/i.test(headers.get("content-type") ?? "");
}
