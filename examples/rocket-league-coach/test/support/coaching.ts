import { type EventStore, type Hook, type ModelClient, memoryStore } from "@pawl/core";
import type { Database } from "@pawl/postgres";
import type { RateLimiter } from "@pawl/sse";
import { type StrictModel, type StrictModelOptions, strictModel } from "@pawl/testing";
import type { Hono } from "hono";
import {
  BACKEND_PATH,
  type CoachBackendOptions,
  coachBackend,
  type RocketLeagueCoach,
  rocketLeagueCoach,
} from "../../src/index.ts";

export const SERVICE_KEY = "service_0123456789abcdef";
export const TOKEN = "tok_of_ada_0123456789abcdef";

/** A token of a user: `tokenOf("ada")`. It names the user, and looks like a secret. */
export const tokenOf = (userId: string) => `tok_of_${userId}_0123456789abcdef`;

/** A model that counts what it bills: the usage of every answer that was sent to its end. */
export type Billed = StrictModel & { readonly billed: number };

/** Creates a model that thinks, with strict rules, and counts what it bills. */
export function billing(options: StrictModelOptions): Billed {
  const model = strictModel({ body: { thinking: { type: "adaptive", display: "summarized" } }, ...options });
  let billed = 0;
  const stream: ModelClient["stream"] = async function* (request, given) {
    let prompt = 0;
    for await (const event of model.stream(request, given)) {
      const usage = event.type === "message_start" ? event.message.usage : undefined;
      if (usage !== undefined)
        prompt =
          Number(usage.input_tokens ?? 0) +
          Number(usage.cache_read_input_tokens ?? 0) +
          Number(usage.cache_creation_input_tokens ?? 0);
      if (event.type === "message_delta") billed += prompt + Number(event.usage?.output_tokens ?? 0);
      yield event;
    }
  };
  return Object.defineProperty({ ...model, stream }, "billed", { get: () => billed }) as Billed;
}

/** A user's budget, as the backend answers it. */
export interface Budget {
  limit: number;
  used: number;
  held: number;
  remaining: number;
}

/** The fields of the backend's answers. */
export interface Answer {
  session_id: string;
  reservation_id: string;
  is_free_preview: boolean;
  held: boolean;
  history: { role: string; content: unknown[] }[];
  messages: { role: string; content_blocks: unknown[]; content_text: string }[];
  sessions: object[];
  error: { code: string; message: string };
}

/** Reads a response's body. */
export async function bodyOf<T = Answer>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** A front server and its backend, in this process. */
export interface Coaching {
  backend: Hono;
  front: RocketLeagueCoach;
  store: EventStore;
  /** Calls the front. */
  chat(body: object, token?: string, signal?: AbortSignal): Promise<Response>;
  /** Calls the backend. */
  call(path: string, body?: object, token?: string): Promise<Response>;
  budget(userId?: string): Promise<Budget>;
}

/** The options of {@link coaching}. */
export interface CoachingOptions extends Partial<CoachBackendOptions> {
  db: Database;
  model: ModelClient;
  store?: EventStore;
  hooks?: readonly Hook[];
  maxSteps?: number;
  rateLimit?: RateLimiter;
  leaseTtlMs?: number;
  onError?(error: unknown): void;
  /** Stands between the front and the backend. */
  between?(request: Request, send: (request: Request) => Promise<Response>): Promise<Response>;
  /** Serves the backend over HTTP, and returns where the front finds it. Default: without HTTP. */
  overHttp?(backend: Hono): Promise<string>;
}

export async function coaching(options: CoachingOptions): Promise<Coaching> {
  const {
    db,
    model,
    store = memoryStore(),
    hooks,
    maxSteps,
    rateLimit,
    leaseTtlMs,
    between,
    overHttp,
    ...rest
  } = options;
  const onError = options.onError ?? (() => undefined);
  const authenticate = (token: string) => /^tok_of_(\w+)_0123456789abcdef$/.exec(token)?.[1] ?? null;
  const backend = await coachBackend({ authenticate, serviceKey: SERVICE_KEY, ...rest, onError, db });
  const send = async (request: Request) => await backend.fetch(request);
  const inProcess: typeof fetch = async (url, init) => {
    const request = new Request(url, init);
    return await (between?.(request, send) ?? send(request));
  };
  const front = rocketLeagueCoach({
    model,
    backendUrl: `${(await overHttp?.(backend)) ?? "http://backend"}${BACKEND_PATH}`,
    serviceKey: SERVICE_KEY,
    store,
    ...(overHttp === undefined && { fetch: inProcess }),
    onError,
    ...(hooks && { hooks }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(rateLimit && { rateLimit }),
    ...(leaseTtlMs !== undefined && { leaseTtlMs }),
  });
  const headers = (token: string) => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  const call: Coaching["call"] = async (path, body, token = TOKEN) =>
    await backend.request(`${BACKEND_PATH}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: headers(token),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    backend,
    front,
    store,
    call,
    chat: async (body, token = TOKEN, signal) =>
      await front.serve(
        new Request("http://front/api/coach/chat", {
          method: "POST",
          headers: headers(token),
          body: JSON.stringify(body),
          ...(signal && { signal }),
        }),
      ),
    budget: async (userId = "ada") => await bodyOf<Budget>(await call("/budget", undefined, tokenOf(userId))),
  };
}

/** Returns the events of an ASP stream. */
export async function aspEvents(response: Response): Promise<{ type: string; [field: string]: unknown }[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .flatMap((part) => part.split("\n").filter((line) => line.startsWith("data:")))
    .flatMap((line) => {
      const data = line.slice(5).trim();
      return data.startsWith("{") ? [JSON.parse(data)] : [];
    });
}
