import { chunkQueue } from "./chunk-queue.ts";
import { type Dispatcher, globalDispatcher } from "./dispatcher.ts";

/** The part of `fetch` that the SDK uses. */
type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` for requests to `/v1/messages` that does without web streams, which are most of the cost of
 * Node's own `fetch`.
 *
 * It uses the dispatcher of Node's `fetch`, so it has the same connections, proxies and certificates as the
 * rest of the process. It does not follow redirects, requests no compression and has no timeout. The global
 * `fetch` sends all other requests of the SDK, e.g. for a token, and all requests if Node's dispatcher is not
 * available.
 */
export function nodeFetch(): Fetch {
  // The last target: a client sends all requests to one address.
  let known: Target | undefined;
  return async (url, init = {}) => {
    const { body, headers, signal } = init;
    const href = url instanceof Request ? url.url : String(url);
    const dispatcher = globalDispatcher();
    if (dispatcher === undefined || !(body instanceof Uint8Array) || !MESSAGES.test(href))
      return await fetch(url, init);
    signal?.throwIfAborted();
    if (known?.href !== href) known = targetOf(href);
    const sent = headers instanceof Headers ? headers : new Headers(headers);
    return await send(dispatcher, known, sent, body, signal ?? undefined);
  };
}

/** Matches a URL whose path ends in `/v1/messages`. */
const MESSAGES = /^[^?#]*\/v1\/messages(?:[?#]|$)/;

/** The address of requests. */
interface Target {
  href: string;
  origin: string;
  path: string;
}

function targetOf(href: string): Target {
  const { origin, pathname, search } = new URL(href);
  return { href, origin, path: `${pathname}${search}` };
}

function send(
  dispatcher: Dispatcher,
  { href, origin, path }: Target,
  headers: Headers,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const pairs: string[] = [];
  for (const [name, value] of headers) pairs.push(name, value);
  const options = {
    origin,
    path,
    method: "POST",
    headers: pairs,
    body,
    headersTimeout: 0,
    bodyTimeout: 0,
  } as const;
  return new Promise((resolve, reject) => {
    let resume = (): void => undefined;
    let cancel = (_reason: Error): void => undefined;
    const chunks = chunkQueue(() => resume());
    const fail = (error: Error): void => {
      reject(error);
      chunks.fail(error);
    };
    // A request cannot be cancelled before it has a connection; `onConnect` cancels it then.
    const abort = (): void => {
      cancel(signal?.reason);
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    // The listener is removed because the SDK keeps the signal until the answer is garbage, and the listener
    // would keep the answer.
    const over = (): void => signal?.removeEventListener("abort", abort);
    dispatcher.dispatch(options, {
      onConnect: (stop) => {
        cancel = stop;
        if (signal?.aborted) stop(signal.reason);
      },
      onHeaders: (status, rawHeaders, go) => {
        // A status below 200 is followed by the final one.
        if (status < 200) return true;
        resume = go;
        resolve(responseOf(status, rawHeaders, chunks.read, href));
        return true;
      },
      onData: chunks.push,
      onComplete: () => {
        over();
        chunks.end();
      },
      onError: (error) => {
        over();
        fail(error);
      },
    });
  });
}

/**
 * Makes the part of a `Response` that the SDK and `answerReader` use. A real `Response` would need web
 * streams again.
 */
function responseOf(
  status: number,
  rawHeaders: readonly (Buffer | string)[],
  read: ReturnType<typeof chunkQueue>["read"],
  url: string,
): Response {
  const ok = status >= 200 && status < 300;
  const headers = headersOf(rawHeaders);
  const response: Pick<Response, "status" | "ok" | "url" | "text"> & { headers: object; body: object } = {
    status,
    ok,
    url,
    // Errors of the SDK keep the headers, so these must be real `Headers`.
    headers: ok ? headers : new Headers([...headers]),
    body: { getReader: () => ({ read }) },
    async text() {
      const decoder = new TextDecoder();
      let text = "";
      for (let part = await read(); !part.done; part = await read()) {
        text += decoder.decode(part.value, { stream: true });
      }
      return text + decoder.decode();
    },
  };
  return response as unknown as Response;
}

/** Returns the headers by lower-case name. `Headers` would also validate them, at a higher cost. */
function headersOf(raw: readonly (Buffer | string)[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) all.set(textOf(raw[at]).toLowerCase(), textOf(raw[at + 1]));
  return all;
}

/** Decodes each byte as one character, as `fetch` does. With other characters, `Headers` would throw. */
function textOf(part: Buffer | string = ""): string {
  return typeof part === "string" ? part : part.toString("latin1");
}
