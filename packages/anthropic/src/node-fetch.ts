import { chunkQueue } from "./chunk-queue.ts";
import { type Dispatcher, globalDispatcher } from "./dispatcher.ts";

/** As much of `fetch` as the SDK uses. */
type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A fetch for messages that leaves out the web streams of Node's own, which are most of its cost. It sends
 * over the same dispatcher, so connections, proxies and certificates are those of the rest of the process. It
 * does not follow redirects, asks for no compression and waits for as long as it takes. Whatever else the SDK
 * fetches, e.g. a token, goes the usual way, as does everything where there is no such dispatcher.
 */
export function nodeFetch(): Fetch {
  // A client asks one address again and again.
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

/** The path of a URL, whatever follows it. */
const MESSAGES = /^[^?#]*\/v1\/messages(?:[?#]|$)/;

/** Where requests go. */
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
    // Before there is a connection nothing can be cancelled: the request is when it gets one.
    const abort = (): void => {
      cancel(signal?.reason);
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    // The SDK keeps the signal until the answer is collected as garbage, which the listener would keep it
    // from.
    const over = (): void => signal?.removeEventListener("abort", abort);
    dispatcher.dispatch(options, {
      onConnect: (stop) => {
        cancel = stop;
        if (signal?.aborted) stop(signal.reason);
      },
      onHeaders: (status, rawHeaders, go) => {
        // A status below 200 comes before the one that counts.
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
 * What the SDK and `answerReader` look at of a response. A real one would bring the cost of web streams back.
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
    // What goes into an error has to be real.
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

/**
 * By their names in small letters, which is how they are asked for. To check them once more costs more than
 * to parse them.
 */
function headersOf(raw: readonly (Buffer | string)[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) all.set(textOf(raw[at]).toLowerCase(), textOf(raw[at + 1]));
  return all;
}

/**
 * A byte is a character, as fetch has it: `Headers` takes no others, and a status must not be lost over a
 * header.
 */
function textOf(part: Buffer | string = ""): string {
  return typeof part === "string" ? part : part.toString("latin1");
}
