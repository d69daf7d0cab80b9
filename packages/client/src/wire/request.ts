import { PawlError, type ViewState } from "@pawl/core/view";
import { eitherSignal } from "./either-signal.ts";
import { within } from "./read-events.ts";

/** Options for reaching the server. */
export interface WireOptions {
  /** The path or URL where the agent is served, e.g. `/api/coach`. Outside of a browser: an absolute URL. */
  url: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /**
   * The headers of every request, e.g. for authentication. A function is called before each request. Default:
   * none.
   */
  headers?: HeaderSource;
}

/** The headers of every request: an object, or a function that is called before each request. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Thrown if the server refuses a request or its response is not valid. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** The response and its JSON body, if the server has refused the request. */
  readonly answer: { readonly headers: Headers; readonly body: unknown } | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    { answer, ...options }: ErrorOptions & { answer?: Refused["answer"] } = {},
  ) {
    super(message, options);
    this.name = "Refused";
    this.status = status;
    this.code = code;
    this.answer = answer;
  }
}

/** Sends a request to a path below the agent's URL. Rejects with {@link Refused} unless it succeeds. */
export type Requester = (path: string, signal: AbortSignal, init?: RequestInit) => Promise<Response>;

/**
 * Returns the function that sends requests. A request fails if there is no response within `silenceMs`.
 *
 * @throws PawlError `config` for a missing URL.
 */
export function requester(
  { url, fetch: send = globalThis.fetch, headers = {} }: WireOptions,
  silenceMs: number,
): Requester {
  if (typeof url !== "string" || url === "") {
    throw new PawlError(
      "config",
      `\`url\` must be the path or URL where the agent is served, e.g. "/api/coach"; got ${JSON.stringify(url)}.`,
    );
  }
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  return async (path, signal, init = {}) => {
    // Checked here and not when the client is made: a page that is rendered on a server makes one there.
    if (send === globalThis.fetch && /^\/(?!\/)/.test(url) && !("location" in globalThis))
      throw new Refused(0, "config", `\`url\` must be absolute outside of a browser; got "${url}".`);
    const ownHeaders = async () =>
      typeof headers === "function" ? await within(silenceMs, Promise.resolve(headers())) : headers;
    const sendWith = (own: object) => {
      const silence = new AbortController();
      const timer = setTimeout(
        () => silence.abort(new Error(`The server did not respond for ${silenceMs} ms.`)),
        silenceMs,
      );
      return send(`${base}${path}`, {
        ...init,
        headers: { ...own, ...(init.headers as Record<string, string> | undefined) },
        signal: eitherSignal(signal, silence.signal),
      }).finally(() => clearTimeout(timer));
    };
    const own = await ownHeaders();
    let response = await sendWith(own);
    if (response.status === 401) {
      // The token may have expired on the way.
      const fresh = await ownHeaders();
      if (JSON.stringify(fresh) !== JSON.stringify(own)) response = await sendWith(fresh);
    }
    if (!response.ok) throw await refused(response, `${base}${path}`);
    return response;
  };
}

/** Returns the options of a request that posts a body and is answered by a stream. */
export function posting(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
  };
}

/** Returns the path of a session. */
export function sessionPath(id: string): string {
  return pathOf("sessions", id);
}

/**
 * Returns the path of one session or file. Instead of "", "." and "..", which would address another path, it
 * has an id that no session or file has.
 */
export function pathOf(list: string, id: string): string {
  return `/${list}/${encodeURIComponent(id).replace(/^\.{0,2}$/, "%00")}`;
}

/** Returns whether a retry may succeed: the network, the server or a proxy failed. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Refused)) return true;
  // A rate limit lasts longer than all retries together.
  if (error.code === "rate_limited") return false;
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

/** Returns a response that is an event stream. @throws Refused `protocol` for any other. */
export function eventStream(response: Response): Response {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return response;
  throw new Refused(
    response.status,
    "protocol",
    "The server's response is not an event stream. Check the client's `url`.",
  );
}

/**
 * Returns the session's id from a response. Headers can only have Latin-1 characters, so the id is escaped.
 *
 * @throws Refused `protocol`
 */
export function sessionOf({ status, headers, body }: Response): string | undefined {
  const escaped = headers.get("x-pawl-session");
  try {
    return escaped === null ? undefined : decodeURIComponent(escaped);
  } catch {
    body?.cancel().catch(() => undefined);
    throw new Refused(status, "protocol", "The server's response has no valid session id.");
  }
}

async function refused(response: Response, url: string): Promise<Refused> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const { code, message } = error;
  const { status } = response;
  const bare =
    status === 404
      ? `The server answered 404 to ${url}. Check the client's \`url\` and the handler's \`basePath\`.`
      : `The server answered ${status}.`;
  return new Refused(
    status,
    typeof code === "string" ? code : "network",
    typeof message === "string" ? message : bare,
    { answer: { headers: response.headers, body } },
  );
}

/**
 * A view of a session, without its older messages. A page of older messages has only `messages`, `cursor` and
 * `before`.
 */
export interface Snapshot extends ViewState {
  /** Names the page of older messages. `null` if these are all, or the server sends all messages. */
  before: number | null;
}

/**
 * Returns the view in a response. One with older messages has only these.
 *
 * @throws Refused `protocol` if it has none.
 */
export function snapshotFrom(body: unknown, isOlder = false): Snapshot {
  const isView =
    isObject(body) &&
    isListOf(body.messages, ({ parts }) => isListOf(parts, ({ type }) => typeof type === "string")) &&
    (isOlder || isListOf(body.pending)) &&
    Number.isInteger(body.cursor) &&
    Number.isInteger(body.before ?? 0);
  if (!isView)
    throw new Refused(200, "protocol", "The server's response is not a session. Check the client's `url`.");
  const { messages, pending, runningTools, run, cursor, before = null } = body as unknown as Snapshot;
  return { messages, pending, runningTools, run, cursor, before };
}

function isListOf(value: unknown, is: (one: Record<string, unknown>) => boolean = () => true): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && is(one));
}

/** Returns whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
