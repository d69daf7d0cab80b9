import { abortsOf } from "./call.ts";
import { globalDispatcher } from "./dispatcher.ts";
import { type BytesAnswer, sendBytes } from "./send-bytes.ts";

/** The part of `fetch` that the SDK uses. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

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
    const { origin, path } = known;
    const request = { origin, path, headers: pairsOf(headers), body, headersTimeout: 0 };
    return responseOf(await sendBytes(dispatcher, request, abortsOf(signal)), href);
  };
}

/** Matches a URL whose path ends in `/v1/messages`. */
const MESSAGES = /^[^?#]*\/v1\/messages(?:[?#]|$)/;

/** The address of requests. */
export interface Target {
  href: string;
  origin: string;
  path: string;
}

/** Splits a URL into the parts that a dispatcher takes. */
export function targetOf(href: string): Target {
  const { origin, pathname, search } = new URL(href);
  return { href, origin, path: `${pathname}${search}` };
}

/** Returns names and values of headers in alternation. */
export function pairsOf(headers: RequestInit["headers"]): string[] {
  const sent = headers instanceof Headers ? headers : new Headers(headers);
  return [...sent].flat();
}

/**
 * Makes the part of a `Response` that the SDK and `answerIn` use. A real `Response` would need web streams
 * again.
 */
export function responseOf({ status, headers, read }: BytesAnswer, url: string): Response {
  const ok = status >= 200 && status < 300;
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
