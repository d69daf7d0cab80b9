import type { Agent, Runtime } from "@pawl/core";
import type { Dialect } from "../dialects/base/dialect.ts";
import type { WireError } from "../request/wire-error.ts";
import type { Caller, Wanted } from "../session/caller.ts";
import type { EventParts, Expose } from "../session/public-event.ts";
import type { CorsOptions } from "./cors.ts";
import type { ExtraFields } from "./extra-fields.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** Options of `handler()`. `Name` are the names of the runtime's agents. */
export interface HandlerOptions<Name extends string = string> {
  /** The runtime that runs the agent and has the store. */
  runtime: Runtime<Name>;
  /** The agent to serve, or its name. Requests for sessions of other agents get a 404. */
  agent: NoInfer<Name> | Agent<never, NoInfer<Name>>;
  /**
   * Returns the user of a request, and what else is known about the caller, see {@link Caller}. Return `null`
   * to answer 401, or a `Response` to send that response. Has no time limit: limit what it waits for, e.g.
   * with `AbortSignal.timeout(5_000)`, or put a time limit of your server before the handler. May be called
   * again with a request whose stream has lasted long, see `reauthorizeMs`; its body has been read by then.
   */
  // Not `Authorized | …`: the compiler's message would name that type and not say what it is.
  authorize(request: Request): Caller | Response | null | Promise<Authorized>;
  /**
   * Decides whether a request may begin or continue a run, before anything is stored. Called after
   * `authorize` and `rateLimit`, with the request (its body has already been read), the caller, and what the
   * request begins. Return a `Response` of your own to refuse the request, e.g. with 402, 403 or 409. See
   * {@link admitReservation}. Not called for another user's session, which is answered with 404. Not called
   * either for a message or a retry that is already stored: such a request joins its run. Has no time limit,
   * like `authorize`; while it is pending, the request counts as one of the user's `maxStreams` until its
   * client disconnects. Default: every request is admitted.
   */
  admit?(
    request: Request,
    caller: Caller,
    wanted: Wanted,
  ): Response | undefined | Promise<Response | undefined>;
  /**
   * What happens to a run that a request began or continued, once its clients have disconnected. Default:
   * `continue`.
   *
   * - `continue`: the run continues, and its events are stored.
   * - `stop`: the run ends as `aborted` if no stream has followed its session for a second. Its text so far
   *   is kept. All streams of this handler in this process count: those of `POST /runs`, and those of
   *   readers. So a client may close a stream and open its next one, or reconnect. A page that takes longer
   *   than a second to reload counts as gone. With several processes, send the requests of one session to the
   *   same one.
   */
  onClientGone?: "continue" | "stop";
  /**
   * The whole path before `/runs` and `/sessions` in the URL that clients request, e.g. `/api/coach`, also in
   * a router of Express or with its `app.use()`. If the handler gets a `Request` with a shorter URL, as with
   * `mount()` of Hono, give the path in that URL instead. Default: none.
   */
  basePath?: string;
  /**
   * Milliseconds without an event after which a stream sends a heartbeat. Default: 5,000. Keep it below
   * 10,000 on Bun, whose server closes a connection that is silent for 10 s.
   */
  heartbeatMs?: number;
  /**
   * Milliseconds after which a stream is authorized again, with up to a tenth less at random. A user who
   * was signed out, or whose token was revoked or has expired, reads no further. `Infinity`: never. Default:
   * 300,000, five minutes.
   *
   * - Native streams end in the middle. The client connects again at once, after the last event, and
   *   `authorize` is called with its new request.
   * - Clients of dialects with `resume: "replay"` cannot continue in the middle. So `authorize` is called
   *   each time with the stream's own request, and the stream lasts while it returns the same user. Otherwise
   *   it ends with an error event of the dialect; the run continues. If `authorize` rejects, the stream
   *   breaks off, and `onError` gets the error.
   */
  reauthorizeMs?: number;
  /**
   * The maximum size of a request's body, in bytes. A larger body is refused with 413. In dialects whose
   * clients send their history, `maxHistoryBytes` limits the history instead. Default: 1,000,000.
   */
  maxBodyBytes?: number;
  /**
   * The maximum size of the history that a client sends, in bytes. A larger history is refused with 413. The
   * history is skipped as a stream, so it takes time but little memory. Default: 50,000,000.
   */
  maxHistoryBytes?: number;
  /**
   * The maximum size of a file that is uploaded to `POST /files`, in bytes. A larger one is refused with 413,
   * and not read further. Default: 20,000,000; a higher value has no effect, because files of messages have
   * limits of their own. Bodies of `POST /runs` may have files in base64; `maxBodyBytes` limits those.
   */
  maxFileBytes?: number;
  /**
   * The maximum length of a user's message, in UTF-16 code units. A longer message is refused with 400.
   * Default: 100,000.
   */
  maxInputLength?: number;
  /**
   * Limits how many runs each user may begin or continue, and how many files they may upload, e.g. `new
   * RateLimiterMemory({ points: 20, duration: 60 })`. A request above the limit is refused with 429. Default:
   * no limit.
   */
  rateLimit?: RateLimiter;
  /**
   * Limits how often each user may read a session: `GET /sessions/:id` and its events, and in dialects with
   * `resume: "replay"` also `GET /runs/:id` and its stream. A request above the limit is refused with 429.
   * It is separate from `rateLimit`, because a page reads the session whenever it loads.
   * Default: no limit; `workLimits` of `runtime()` limits how many sessions are read at the same time.
   */
  rateLimitReads?: RateLimiter;
  /**
   * The maximum number of streams that a user may have open in this process. Further streams are refused with
   * 429. Default: 100.
   */
  maxStreams?: number;
  /**
   * Allows pages of other origins, e.g. `{ origins: ["https://app.example.com"] }`. Preflights are answered
   * without a call of `authorize`. Default: pages of other origins can read no response.
   */
  cors?: CorsOptions;
  /** Your own fields in the body of a request, e.g. what the user's screen shows. Default: none. */
  extra?: ExtraFields;
  /**
   * The protocol of the clients: the bodies of `POST /runs`, and the streams that answer them. Default:
   * `native()`, which `handler()` describes.
   */
  dialect?: Dialect;
  /**
   * What native streams and the routes of `/sessions` show. Default: `public`.
   *
   * - `public`: leaves out what is written for the model (system prompt, tools, the text of knowledge, the
   *   result of `format`) and the messages of failures.
   * - `all`: shows the log as it is, for developers.
   * - `{ knowledge: ["goals"] }`: like `public`, with the text of knowledge from these sources.
   */
  expose?: Expose;
  /**
   * Shows your own events as parts of messages, as if a tool had emitted them. Keys are types of events,
   * values names of parts, e.g. `{ "acme.plan": "data-plan" }`. Default: none.
   */
  parts?: EventParts;
  /**
   * Returns the body of error responses in your app's own form, e.g. `({ error }) => ({ code: error.code,
   * cause: error.message })`, for pages that expect it. Status and headers stay. Not called for responses of
   * `authorize` and `admit`. If it throws, `onError` is called and the response has the default body.
   * Default: `{ error: { code, message } }`, which Pawl's own clients need.
   */
  errorBody?: ErrorBody;
  /**
   * Called with every error that causes a 500 or 503 response or breaks off a stream, unless the client has
   * disconnected or this process is shutting down. Default: logs the error and a link to its page with
   * `console.error`.
   */
  onError?(error: unknown, request: Request): void;
  /**
   * Called with warnings for the developer about what clients send: data that the agent ignores, e.g. tools
   * of their own, or the id of a session whose agent the runtime lacks. Each text is passed once. Default:
   * logs it with `console.warn`.
   */
  onWarning?(message: string): void;
}

/** The options with the agent's name in place of the agent. */
export type Served = Omit<HandlerOptions, "agent"> & { agent: string };

/** The result of `authorize`: the user of a request, or how to refuse the request. */
export type Authorized = Caller | Response | null;

/** A failed request, from which an application makes the body of its own error responses. */
export interface RefusedRequest {
  /** The code and the message that the response would have. */
  error: WireError["error"];
  /** The response's HTTP status, which stays as it is. */
  status: number;
  request: Request;
}

/** Returns the body of an error response in the application's own form. */
export type ErrorBody = (refused: RefusedRequest) => object;
