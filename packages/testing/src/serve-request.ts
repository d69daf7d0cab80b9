import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiError, errorBody, errorOfStatus, invalid } from "./api-error.ts";
import { checkHeaders } from "./check-headers.ts";
import { earlyError } from "./play-events.ts";
import type { Answer, Simulator } from "./simulator.ts";
import { sendEvents } from "./sse-wire.ts";

/** A request as it arrived. */
export interface RecordedRequest {
  headers: IncomingHttpHeaders;
  /** The parsed body; the text when it is not JSON. */
  body: unknown;
}

/** The largest body, in bytes. */
const maxBody = 32 * 1024 * 1024;

/** What a request is served with. */
export interface Desk {
  core: Simulator;
  requests: RecordedRequest[];
  apiKeys: readonly string[] | undefined;
}

/** Answers one HTTP request: headers first, then the body, then what the simulator says of it. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  desk: Desk,
): Promise<void> {
  const { core, requests, apiKeys } = desk;
  const requestId = core.newId("req_01");
  const refuse = (error: ApiError, body: unknown): void => {
    core.rejected.push({ error, body });
    sendError(response, error, requestId);
  };
  if (request.url?.split("?")[0] !== "/v1/messages")
    return sendError(response, errorOfStatus(404, { message: "Not Found" }), requestId);
  if (request.method !== "POST")
    return sendError(
      response,
      errorOfStatus(405, { type: "invalid_request_error", message: "Method Not Allowed" }),
      requestId,
    );
  const text = await readBody(request);
  if (text === undefined)
    return refuse(errorOfStatus(413, { message: "Request exceeds the maximum size" }), null);
  const body = parse(text);
  requests.push({ headers: request.headers, body: body === undefined ? text : body });
  const refused = checkHeaders(request.headers, apiKeys);
  if (refused !== undefined) return refuse(refused, body ?? text);
  // The real text goes on with the parser's own words.
  if (body === undefined) return refuse(invalid("The request body is not valid JSON"), text);
  const answer = await core.answer(body);
  if ("status" in answer) return sendError(response, answer, requestId);
  const streamed = (body as { stream?: boolean }).stream === true;
  await sendAnswer(response, answer, requestId, streamed);
}

async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  requestId: string,
  streamed: boolean,
): Promise<void> {
  const { reply, events, message, begin } = answer;
  if (reply.latencyMs !== undefined) await sleep(reply.latencyMs);
  if (response.destroyed) return;
  const early = earlyError(reply.fault);
  if (early !== undefined) {
    const wait = early.retryAfter === undefined ? {} : { "retry-after": String(early.retryAfter) };
    return sendError(response, early, requestId, wait);
  }
  begin();
  if (streamed) return sendEvents(response, reply, events, headersOf(requestId));
  response.writeHead(200, { ...headersOf(requestId), "content-type": "application/json" });
  response.end(JSON.stringify(message));
}

/** Answers with an error, or drops the connection when the answer has already begun. */
export function sendError(
  response: ServerResponse,
  error: ApiError,
  requestId: string,
  headers: { [name: string]: string } = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, {
    ...headersOf(requestId),
    "content-type": "application/json",
    ...headers,
  });
  response.end(JSON.stringify(errorBody(error, requestId)));
}

function headersOf(requestId: string): { [name: string]: string } {
  return { "request-id": requestId, "anthropic-organization-id": "00000000-0000-4000-8000-000000000000" };
}

/** The body's text, or `undefined` when it is too large. */
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
