import {
  checkOptions,
  type EventStore,
  type Hook,
  type ModelClient,
  type OptionKinds,
  type Runtime,
  runtime,
} from "@pawl/core";
import type { RateLimiter } from "@pawl/sse";
import { backendClient } from "./backend-client.ts";
import { chatHandler } from "./chat-handler.ts";
import { coachAgent } from "./coach-agent.ts";
import { settleEnded } from "./settle-ended.ts";
import { type PageOptions, pageWire } from "./wire.ts";

/** Options of `rocketLeagueCoach()`. */
export interface RocketLeagueCoachOptions {
  /** The model, with thinking on, e.g. `claude("claude-opus-4-5", { thinking: … })`. */
  model: ModelClient;
  /** The address of the backend with its path, e.g. `http://localhost:8000/api/v1/coach`. */
  backendUrl: string;
  /** The key with which this server settles reservations. The backend has the same one. */
  serviceKey: string;
  /** The store of the log. */
  store: EventStore;
  /**
   * Limits how many messages a user may send, e.g. `new RateLimiterMemory({ points: 20, duration: 60 })`.
   * Above the limit, nothing is reserved. Default: no limit.
   */
  rateLimit?: RateLimiter;
  /** The most answers of the model in one run. Default: 10. */
  maxSteps?: number;
  /** More hooks of the agent. Default: none. */
  hooks?: readonly Hook[];
  /** Sends requests to the backend. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** The duration of a lease, in milliseconds, see `runtime()`. Default: 10,000. */
  leaseTtlMs?: number;
  /**
   * What happens to a run whose process died, see `runtime()`. Default: `stop`, which charges it and keeps
   * its messages. With `ask`, it continues when its page reconnects.
   */
  withoutCredentials?: "ask" | "stop";
  /** Called with errors that no user gets. Default: prints their message. */
  onError?(error: unknown): void;
}

const OPTIONS: OptionKinds<RocketLeagueCoachOptions> = {
  model: "object!",
  backendUrl: "string!",
  serviceKey: "string!",
  store: "object!",
  rateLimit: "object",
  maxSteps: {
    mustBe: "a whole number from 1 to 100",
    is: (steps) => Number.isInteger(steps) && Number(steps) >= 1 && Number(steps) <= 100,
  },
  hooks: "list",
  fetch: "function",
  leaseTtlMs: "number",
  withoutCredentials: { mustBe: '"ask" or "stop"', is: (how) => how === "ask" || how === "stop" },
  onError: "function",
};

/** The front server's parts. */
export interface RocketLeagueCoach {
  runtime: Runtime;
  /** Answers requests under `/api/coach`. */
  serve(request: Request): Promise<Response>;
  /**
   * Checks that the backend accepts the service key. Call it at the start.
   *
   * @throws Error that names `COACH_SERVICE_KEY` if it does not, or that says why it cannot be reached
   */
  check(): Promise<void>;
  /**
   * Returns a function that answers requests of pages that use `@pawl/client`, under a path of their own. A
   * run continues while its page is reloaded or closed. Requests need the user's bearer token here, too.
   */
  pageHandler(options: PageOptions): (request: Request) => Promise<Response>;
  /** Charges runs that ended while the backend was down for long. Call it at times, e.g. each minute. */
  settle(): Promise<number>;
}

/**
 * Creates the front server: the agent's loop, its log, and the stream for clients of ASP v2.
 *
 * - `POST /api/coach/chat` with `{ message, session_id?, replay_id?, client_message_id? }`: answers as a
 *   stream. 402 if the budget is spent, before anything is stored
 * - `GET /api/coach/sessions` and below: the routes of `handler()`
 *
 * Call `runtime.start()`, so that runs of a process that died are charged.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { memoryStore } from "@pawl/core";
 * import { BACKEND_PATH, coachBackend, rocketLeagueCoach } from "@pawl/example-rocket-league-coach";
 * import { strictModel } from "@pawl/testing";
 *
 * const db = await PGlite.create();
 * const serviceKey = "0123456789abcdef";
 * const backend = await coachBackend({ db, serviceKey, authenticate: () => "ada" });
 * const coach = rocketLeagueCoach({
 *   model: strictModel({ script: [{ text: "Hello." }] }),
 *   backendUrl: `http://backend${BACKEND_PATH}`,
 *   fetch: async (url, init) => await backend.request(String(url), init),
 *   serviceKey,
 *   store: memoryStore(),
 * });
 * const response = await coach.serve(
 *   new Request("http://localhost/api/coach/chat", {
 *     method: "POST",
 *     headers: { authorization: "Bearer of-ada" },
 *     body: JSON.stringify({ message: "Hi" }),
 *   }),
 * );
 * console.log((await response.text()).includes("Hello.")); // true
 * await db.close();
 * ```
 */
export function rocketLeagueCoach(options: RocketLeagueCoachOptions): RocketLeagueCoach {
  checkOptions("rocketLeagueCoach()", options, OPTIONS);
  const { model, backendUrl, serviceKey, store, maxSteps = 10, hooks = [], leaseTtlMs, onError } = options;
  const url = backendUrl.replace(/\/+$/, "");
  // With ASP, nobody follows a run whose process died, so it ends.
  const { fetch, rateLimit, withoutCredentials = "stop" } = options;
  const backend = backendClient({ url, serviceKey, ...(fetch && { fetch }) });
  const coach = coachAgent({ model, backend, backendUrl: url, maxSteps, hooks, fetch });
  const pawl = runtime({
    agents: [coach],
    store,
    withoutCredentials,
    ...(leaseTtlMs !== undefined && { times: { leaseTtlMs } }),
    ...(onError && { onError }),
  });
  const settle = async () => await settleEnded(pawl.store, backend);
  const serving = {
    runtime: pawl,
    backend,
    ...(rateLimit && { rateLimit }),
    ...(onError && { onError }),
  };
  return {
    runtime: pawl,
    check: async () => void (await backend.unsettled()),
    settle,
    serve: chatHandler(serving),
    pageHandler: (page) => chatHandler({ ...serving, wire: pageWire(page) }),
  };
}
