import { PawlError, type Runtime } from "@pawl/core";
import { readCapped } from "@pawl/core/tools";
import { handler, type RateLimiter } from "@pawl/sse";
import { COACH } from "../base/reservation-id.ts";
import { type Asked, admit, giveBack, requestIdOf } from "./admit.ts";
import type { BackendClient } from "./backend-client.ts";
import { BackendDown, responseTo } from "./backend-errors.ts";
import { importSession, isImported } from "./import-session.ts";
import { ASP, type Wire } from "./wire.ts";

interface Serving {
  runtime: Runtime;
  backend: BackendClient;
  /** How clients reach the coach. Default: ASP v2. */
  wire?: Wire;
  rateLimit?: RateLimiter;
  onError?(error: unknown, request: Request): void;
}

/** The maximum size of a body, in bytes: that of the handler. */
const MAX_BODY = 1_000_000;

/**
 * Serves the coach. A message is prepared by the backend's preflight in `admit`: after the session is known
 * to be the user's, and before anything is stored.
 */
export function chatHandler(serving: Serving): (request: Request) => Promise<Response> {
  const { runtime, backend, wire = ASP, rateLimit, onError } = serving;
  const { path, names, ...spoken } = wire;
  const asking = new WeakMap<Request, Asked>();
  const serve = handler({
    ...(rateLimit && { rateLimit }),
    ...spoken,
    runtime,
    agent: COACH,
    basePath: path,
    authorize: async (request) => {
      const token = tokenOf(request);
      if (token === undefined) return null;
      try {
        return { userId: await backend.userOf(token), credentials: { token } };
      } catch (error) {
        return responseTo(error);
      }
    },
    extra: {
      fields: ["replay_id", "message_key"],
      read: async ({ replay_id, message_key }, { userId, session }) => {
        const params = { request_id: await requestIdOf(userId, session?.id, String(message_key)) };
        if (replay_id === undefined || replay_id === null) return { params };
        const replay = checkReplay(replay_id);
        const data = `The user is looking at the replay ${replay}. They may mean it by "this match".`;
        const knowledge = [{ source: "open_replay", data, params: { replay_id: replay } }];
        return { params: { ...params, replay_id: replay }, knowledge };
      },
    },
    admit: async (request, caller, wanted) =>
      await admit({ runtime, backend }, asking.get(request), caller, wanted),
    ...(onError && { onError }),
  });
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST" || ![`${path}/chat`, `${path}/runs`].includes(pathname))
      return await serve(request);
    const { forwarded, asked } = await prepared(request, wire);
    if (asked !== undefined) asking.set(forwarded, asked);
    const failed = asked?.sessionId && (await imported(runtime, backend, request, asked.sessionId));
    if (failed) return failed;
    const response = await serve(forwarded);
    if (!response.ok && asked?.reserved !== undefined) await giveBack(runtime, backend, asked.reserved);
    return response;
  };
}

/** Copies the session from the backend if the log does not have it. Returns a response if that fails. */
async function imported(
  { store }: Runtime,
  backend: BackendClient,
  request: Request,
  sessionId: string,
): Promise<Response | undefined> {
  const token = tokenOf(request);
  if (token === undefined) return undefined;
  try {
    if (await isImported(store, sessionId)) return undefined;
    const userId = await backend.userOf(token);
    await importSession(store, { userId, sessionId, messages: await backend.messages(token, sessionId) });
    return undefined;
  } catch (error) {
    // The handler answers an invalid id, or another user's.
    if (PawlError.is(error, "invalid_input") || PawlError.is(error, "not_found")) return undefined;
    return responseTo(PawlError.is(error) ? new BackendDown("the log cannot be written") : error);
  }
}

/** Reads a request and gives its message an id, from which the session and the reservation get theirs. */
async function prepared(
  request: Request,
  { path, names }: Wire,
): Promise<{ forwarded: Request; asked?: Asked }> {
  // The handler first finds out the sender, then refuses a text that is too long.
  const text = (await readCapped(request, MAX_BODY)) ?? " ".repeat(MAX_BODY + 1);
  const url = new URL(request.url);
  url.pathname = `${path}/runs`;
  const forward = (body: string): Request => {
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    headers.set("content-type", "application/json");
    return new Request(url, { method: "POST", headers, body, signal: request.signal });
  };
  const body = text.length > MAX_BODY ? undefined : objectIn(text);
  const { [names.message]: said } = body ?? {};
  const message = textOf(said);
  // The handler answers what is wrong with it.
  if (body === undefined || message === undefined) return { forwarded: forward(text) };
  const { clientMessageId, ...rest } = body;
  const { [names.messageId]: given = clientMessageId } = body;
  const messageId = typeof given === "string" && given !== "" ? given : crypto.randomUUID();
  const own = { ...rest, [names.messageId]: messageId, message_key: messageId };
  const { replay_id, [names.sessionId]: sessionId } = body;
  const asked = {
    message,
    messageId,
    ...(typeof sessionId === "string" && { sessionId }),
    ...(typeof replay_id === "string" && { replayId: replay_id }),
  };
  return { forwarded: forward(JSON.stringify(own)), asked };
}

/** Returns the text of a message: a string, or parts. `undefined` for anything else. */
function textOf(message: unknown): string | undefined {
  if (!Array.isArray(message)) return typeof message === "string" ? message : undefined;
  const texts = message.map((part: unknown) => Object(part).text as unknown);
  return texts.filter((text) => typeof text === "string").join("\n\n");
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function checkReplay(value: unknown): string {
  if (typeof value === "string" && /^[\w:-]{1,100}$/.test(value)) return value;
  throw new PawlError("invalid_input", "`replay_id` must be the id of a replay, a string.");
}

function tokenOf(request: Request): string | undefined {
  return request.headers.get("authorization")?.match(/^Bearer ([^\s,]+)$/i)?.[1];
}
