import type { Json } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { failureOf } from "../state/conversation.ts";
import { within } from "../wire/read-events.ts";
import {
  eventStream,
  isObject,
  posting,
  Refused,
  requester,
  sessionPath,
  snapshotFrom,
  type WireOptions,
} from "../wire/request.ts";
import type { AspFailure } from "./asp-state.ts";

/** The body of `POST /runs` in the dialect `asp()`. */
export interface AspBody {
  session_id?: string;
  message?: string;
  client_message_id?: string;
  tool_results?: readonly { tool_use_id: string; content: Json; is_error?: true }[];
  retry?: string;
}

/** The routes that a client of the dialect `asp()` uses. Each rejects unless the request succeeds. */
export interface AspWire {
  /** Begins or continues a run. Resolves to its stream. */
  run(body: AspBody, signal: AbortSignal): Promise<Response>;
  /** Resolves to the session's stored view. */
  snapshot(sessionId: string, signal: AbortSignal): Promise<ViewState>;
  /** Streams the output since the last run began. Resolves to `undefined` if no run has begun. */
  replay(sessionId: string, signal: AbortSignal): Promise<Response | undefined>;
  /** Asks the session's run to stop. */
  stop(sessionId: string, signal: AbortSignal): Promise<void>;
}

/** Creates a client for these routes. A request fails if there is no response within `silenceMs`. */
export function aspWire(options: WireOptions, silenceMs: number): AspWire {
  const request = requester(options, silenceMs);
  return {
    run: async (body, signal) => eventStream(await request("/runs", signal, posting(body))),
    snapshot: async (id, signal) => {
      const response = await request(sessionPath(id), signal, { cache: "no-store" });
      return snapshotFrom(await within(silenceMs, response.json()));
    },
    replay: async (id, signal) => {
      const path = `/runs/${encodeURIComponent(id)}/stream`;
      const init: RequestInit = { headers: { accept: "text/event-stream" }, cache: "no-store" };
      const response = await request(path, signal, init);
      return response.status === 204 ? undefined : eventStream(response);
    },
    stop: async (id, signal) => {
      await request(`${sessionPath(id)}/stop`, signal, { method: "POST" });
    },
  };
}

/** Thrown if a stream ends before its last event. */
export class BrokenOff extends Error {}

/** The message for a response that refuses a request without a reason. */
const REFUSALS: ReadonlyMap<number, { code: string; message: string }> = new Map([
  [401, { code: "unauthorized", message: "You are not signed in. Please sign in and try again." }],
  [402, { code: "quota_exceeded", message: "Your budget has no room left for this request." }],
  [403, { code: "forbidden", message: "You do not have access to this." }],
  [429, { code: "rate_limited", message: "Too many requests. Please wait a moment and try again." }],
]);

/** Converts any error of a request or a stream to the failure that is shown. */
export function aspFailure(error: unknown): AspFailure {
  if (error instanceof BrokenOff) {
    return {
      code: "network",
      message: "The connection was lost before the answer was complete. Please try again.",
      cause: error.cause,
    };
  }
  const failure = failureOf(error);
  if (!(error instanceof Refused) || error.answer === undefined) return failure;
  const { status } = error;
  const { headers, body } = error.answer;
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  return {
    ...failure,
    ...(failure.code === "network" && REFUSALS.get(status)),
    ...reasonIn(body),
    status,
    body,
    ...(after >= 0 && { retryAfterS: after }),
  };
}

/** Returns the reason in a body of the application's own: its `error` or `message`, if that is a text. */
function reasonIn(body: unknown): { message?: string } {
  if (!isObject(body)) return {};
  const text = [body.error, body.message].find((one) => typeof one === "string" && one.trim() !== "");
  return typeof text === "string" ? { message: text } : {};
}
