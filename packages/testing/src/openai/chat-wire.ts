import type { IncomingHttpHeaders } from "node:http";
import type { ApiError } from "../base/api-error.ts";
import type { Wire } from "../base/wire.ts";
import { chatError } from "./chat-error.ts";

/** A chunk of a streamed response, or the mark at its end. */
export type ChatEvent = { [field: string]: unknown } | "[DONE]";

/** The HTTP protocol of Chat Completions. */
export const chatWire: Wire<ChatEvent> = {
  path: "/v1/chat/completions",
  requestId: (newId) => newId("req_"),
  checkHeaders,
  headers: (requestId) => ({
    "x-request-id": requestId,
    "openai-version": "2020-10-01",
    "openai-processing-ms": "1",
    "openai-organization": "org-pawl",
  }),
  notJson: chatError(400, {
    message:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  }),
  errorOf: chatError,
  errorBody,
  eventText: (event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
  errorText: (error) => `data: ${JSON.stringify(errorBody(error))}\n\n`,
};

function errorBody({ message, type, param, errorCode }: ApiError): unknown {
  return { error: { message, type, param: param ?? null, code: errorCode ?? null } };
}

/** Checks the API key. */
function checkHeaders(
  headers: IncomingHttpHeaders,
  apiKeys: readonly string[] | undefined,
): ApiError | undefined {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1]?.trim() ?? "";
  if (key === "")
    return chatError(401, {
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    });
  if (apiKeys !== undefined && !apiKeys.includes(key))
    return chatError(401, {
      message: `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      errorCode: "invalid_api_key",
    });
  return undefined;
}

function masked(key: string): string {
  return key.length < 12 ? "*".repeat(key.length) : `${key.slice(0, 8)}${"*".repeat(8)}${key.slice(-4)}`;
}
