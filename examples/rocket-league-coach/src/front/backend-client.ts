import type * as z from "zod";
import type { ChatMessage } from "../base/chat-message.ts";
import {
  abortAnswer,
  budgetAnswer,
  type Held,
  heldAnswer,
  messagesAnswer,
  preflightAnswer,
  recordAnswer,
  unsettledAnswer,
} from "./backend-answers.ts";
import { BackendDown, BackendRefusal, codeIn } from "./backend-errors.ts";

/** A request of a user, for `chat/preflight`. */
export interface PreflightRequest {
  message: string;
  new_session_id: string;
  request_id: string;
  replay_id?: string | undefined;
}

/** The use of a run so far, by its reservation. */
export interface Use {
  reservation_id: string;
  tokens_used: number;
}

/**
 * The backend, as the front server calls it. Methods reject with {@link BackendDown} or {@link
 * BackendRefusal}.
 */
export interface BackendClient {
  /** Returns the id of a token's user. */
  userOf(token: string): Promise<string>;
  preflight(token: string, request: PreflightRequest): Promise<void>;
  /** Like `preflight()`, for a run that began without one. */
  preflightFor(userId: string, request: PreflightRequest): Promise<void>;
  messages(token: string, sessionId: string): Promise<ChatMessage[]>;
  /** Returns the turns that should be over by now and were not settled. */
  unsettled(): Promise<{ reservation_id: string; session_id: string; user_id: string }[]>;
  /** With `again`, a reservation that was released is made again. */
  renew(use: Use & { again?: boolean }): Promise<Held>;
  /** `begun_at` is when the run began. Messages of a run that is settled later get their place by it. */
  record(
    use: Use & { session_id: string; messages: readonly ChatMessage[]; begun_at: string },
  ): Promise<void>;
  /** With `final`, the reservation cannot be made again. */
  abort(
    use: Use & { partial_messages?: readonly ChatMessage[]; begun_at?: string; final?: boolean },
  ): Promise<void>;
}

/** Options of `backendClient()`. */
export interface BackendClientOptions {
  /** The address before `/chat/preflight`, e.g. `http://localhost:8000/api/v1/coach`. */
  url: string;
  serviceKey: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Time limit of one attempt, in milliseconds. Default: 2,000. */
  timeoutMs?: number;
  /** Pauses before each retry if the backend is down, in milliseconds. Default: `[50, 250]`. */
  retryMs?: readonly number[];
}

const WRONG_KEY = " COACH_SERVICE_KEY is wrong: both processes need the same one.";

/**
 * Calls the backend. All its routes may be repeated, so a request that fails is. A token is sent to the
 * backend only, and is in no error.
 */
export function backendClient(options: BackendClientOptions): BackendClient {
  const { url, serviceKey, fetch: send = fetch, timeoutMs = 2_000, retryMs = [50, 250] } = options;
  const once = async <T>(shape: z.ZodType<T>, token: string, path: string, body?: object): Promise<T> => {
    const response = await send(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new BackendDown("it cannot be reached, or is too slow");
    });
    const { status } = response;
    const isOwnKey = token === serviceKey;
    const text = await response.text().catch(() => "");
    const answer = jsonIn(text);
    const checked = shape.safeParse(answer);
    if (response.ok && checked.success) return checked.data;
    if (status >= 400 && status < 500 && status !== 429)
      throw new BackendRefusal(status, codeIn(answer), isOwnKey && status === 401 ? WRONG_KEY : "");
    const what = answer === undefined ? " without JSON" : " with another JSON than expected";
    throw new BackendDown(`it answered ${status}${response.ok ? what : ""}`);
  };
  const call: typeof once = async (...request) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once(...request);
      } catch (error) {
        const pause = retryMs[attempt];
        if (!(error instanceof BackendDown) || pause === undefined) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  };
  return {
    userOf: async (token) => (await call(budgetAnswer, token, "/budget")).user_id,
    preflight: async (token, request) =>
      void (await call(preflightAnswer, token, "/chat/preflight", request)),
    preflightFor: async (user_id, request) =>
      void (await call(preflightAnswer, serviceKey, "/chat/preflight", { ...request, user_id })),
    messages: async (token, sessionId) =>
      (await call(messagesAnswer, token, `/sessions/${encodeURIComponent(sessionId)}/messages`)).messages,
    unsettled: async () => (await call(unsettledAnswer, serviceKey, "/chat/unsettled")).turns,
    renew: async (use) => await call(heldAnswer, serviceKey, "/chat/renew", use),
    record: async (run) => void (await call(recordAnswer, serviceKey, "/chat/record", run)),
    abort: async (run) => void (await call(abortAnswer, serviceKey, "/chat/abort", run)),
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
