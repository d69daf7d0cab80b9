import type { Answer, Session } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { PawlError } from "@pawl/core/view";
import { eitherSignal } from "./either-signal.ts";
import { within } from "./read-events.ts";

/** Options for reaching the server. */
export interface WireOptions {
  /** The path or URL where the agent is served, e.g. `/api/coach`. */
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

/** The body of `POST /runs`. */
export interface RunBody {
  sessionId?: string;
  input?: string;
  answers?: readonly Answer[];
  retry?: string;
  clientMessageId?: string;
}

/** One of the user's sessions, for a list of conversations. */
export interface ListedSession extends Session {
  /**
   * The session's `metadata.title`, if the application has set one, or else the beginning of its first
   * message. Absent if the session has no message.
   */
  title?: string;
}

/** Thrown if the server refuses a request or its response is not valid. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
    this.status = status;
    this.code = code;
  }
}

/** The routes of `@pawl/sse` as functions. Each rejects with {@link Refused} unless the request succeeds. */
export interface Wire {
  /** Begins or resumes a run. Resolves to its stream. */
  run(body: RunBody, signal: AbortSignal): Promise<Response>;
  /** Resolves to the session's current view. */
  snapshot(sessionId: string, signal: AbortSignal): Promise<ViewState>;
  /** Streams the events after `place`, a cursor as `formatCursor` writes it. */
  stream(sessionId: string, place: string, signal: AbortSignal): Promise<Response>;
  /** Resolves to the user's sessions, newest first. */
  sessions(signal: AbortSignal): Promise<ListedSession[]>;
  /** Asks the session's run to stop. */
  stop(sessionId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Creates a client for the routes of `@pawl/sse`. A request fails if there is no response within `silenceMs`.
 */
export function wire(
  { url, fetch: send = globalThis.fetch, headers = {} }: WireOptions,
  silenceMs: number,
): Wire {
  if (typeof url !== "string" || url === "") {
    throw new PawlError(
      "config",
      `\`url\` must be the path or URL where the agent is served, e.g. "/api/coach"; got ${JSON.stringify(url)}.`,
    );
  }
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  const request = async (path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> => {
    const own = typeof headers === "function" ? await within(silenceMs, Promise.resolve(headers())) : headers;
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new Error(`The server did not respond for ${silenceMs} ms.`)),
      silenceMs,
    );
    const response = await send(`${base}${path}`, {
      ...init,
      headers: { ...own, ...(init.headers as Record<string, string> | undefined) },
      signal: eitherSignal(signal, silence.signal),
    }).finally(() => clearTimeout(timer));
    if (!response.ok) throw await refused(response, `${base}${path}`);
    return response;
  };
  const session = (id: string) => `/sessions/${encodeURIComponent(id)}`;
  return {
    run: async (body, signal) =>
      eventStream(
        await request("/runs", signal, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "text/event-stream" },
          body: JSON.stringify(body),
        }),
      ),
    snapshot: async (id, signal) => {
      const response = await request(session(id), signal);
      return snapshotFrom(await within(silenceMs, response.json()));
    },
    stream: async (id, place, signal) =>
      eventStream(
        await request(`${session(id)}/stream`, signal, {
          headers: { accept: "text/event-stream", "last-event-id": place },
          cache: "no-store",
        }),
      ),
    sessions: async (signal) => {
      const response = await request("/sessions", signal, { cache: "no-store" });
      return sessionsFrom(await within(silenceMs, response.json()));
    },
    stop: async (id, signal) => {
      await request(`${session(id)}/stop`, signal, { method: "POST" });
    },
  };
}

/** Returns whether a retry may succeed: the network, the server or a proxy failed. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Refused)) return true;
  // A rate limit lasts longer than all retries together.
  if (error.code === "rate_limited") return false;
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

function eventStream(response: Response): Response {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return response;
  throw new Refused(
    response.status,
    "protocol",
    "The server's response is not an event stream. Check the client's `url`.",
  );
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
  );
}

function snapshotFrom(body: unknown): ViewState {
  const isView = isObject(body) && Array.isArray(body.messages) && Number.isInteger(body.cursor);
  if (!isView)
    throw new Refused(200, "protocol", "The server's response is not a session. Check the client's `url`.");
  const { messages, pending, runningTools, run, cursor } = body as unknown as ViewState;
  return { messages, pending, runningTools, run, cursor };
}

function sessionsFrom(body: unknown): ListedSession[] {
  if (isObject(body) && Array.isArray(body.sessions)) return body.sessions;
  throw new Refused(200, "protocol", "The server's response is not a list. Check the client's `url`.");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
