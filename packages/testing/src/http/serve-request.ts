import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiError } from "../base/api-error.ts";
import { earlyError } from "../base/play-events.ts";
import type { Answer, Judge, Wire } from "../base/wire.ts";
import { sendEvents } from "./sse-wire.ts";

/** A request that a simulated API has received. */
export interface RecordedRequest {
  /** The request's headers. */
  headers: IncomingHttpHeaders;
  /** The parsed JSON body, or the text if it is not JSON. */
  body: unknown;
}

/** The maximum size of a body, in bytes. */
const maxBody = 32 * 1024 * 1024;

/** What is needed to serve a request. */
export interface Desk<E> {
  wire: Wire<E>;
  core: Judge<E>;
  requests: RecordedRequest[];
  apiKeys: readonly string[] | undefined;
}

/** Answers one HTTP request. Checks the headers first, then the body. */
export async function serveRequest<E>(
  request: IncomingMessage,
  response: ServerResponse,
  desk: Desk<E>,
): Promise<void> {
  const { wire, core, requests, apiKeys } = desk;
  const requestId = wire.requestId(core.newId);
  const tell = (error: ApiError): void => sendError(response, wire, error, requestId);
  const refuse = (error: ApiError, body: unknown): void => {
    core.rejected.push({ error, body });
    tell(error);
  };
  if (request.url?.split("?")[0] !== wire.path) return tell(wire.errorOf(404, { message: "Not Found" }));
  if (request.method !== "POST")
    return tell(wire.errorOf(405, { type: "invalid_request_error", message: "Method Not Allowed" }));
  const text = await readBody(request);
  if (text === undefined)
    return refuse(wire.errorOf(413, { message: "Request exceeds the maximum size" }), null);
  const body = parse(text);
  requests.push({ headers: request.headers, body: body === undefined ? text : body });
  const refused = wire.checkHeaders(request.headers, apiKeys);
  if (refused !== undefined) return refuse(refused, body ?? text);
  if (body === undefined) return refuse(wire.notJson, text);
  const answer = await core.answer(body);
  if ("status" in answer) return tell(answer);
  const streamed = (body as { stream?: boolean }).stream === true;
  await sendAnswer(response, wire, answer, { requestId, streamed });
}

async function sendAnswer<E>(
  response: ServerResponse,
  wire: Wire<E>,
  answer: Answer<E>,
  { requestId, streamed }: { requestId: string; streamed: boolean },
): Promise<void> {
  const { reply, message, begin } = answer;
  if (reply.latencyMs !== undefined) await sleep(reply.latencyMs);
  if (response.destroyed) return;
  const early = earlyError(reply.fault, wire.errorOf);
  if (early !== undefined) {
    const wait = early.retryAfter === undefined ? {} : { "retry-after": String(early.retryAfter) };
    return sendError(response, wire, early, requestId, wait);
  }
  begin();
  const headers = wire.headers(requestId);
  if (streamed) return sendEvents(response, wire, answer, headers);
  response.writeHead(200, { ...headers, "content-type": "application/json" });
  response.end(JSON.stringify(message));
}

/** Responds with an error. Drops the connection if the response has already begun. */
export function sendError<E>(
  response: ServerResponse,
  wire: Wire<E>,
  error: ApiError,
  requestId: string,
  headers: { [name: string]: string } = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, {
    ...wire.headers(requestId),
    "content-type": "application/json",
    ...headers,
  });
  response.end(JSON.stringify(wire.errorBody(error, requestId)));
}

/** Resolves to the body's text, or `undefined` if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
  }
  return size > maxBody ? undefined : Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
