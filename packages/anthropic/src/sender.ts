import type { Anthropic } from "@anthropic-ai/sdk";
import { clientSecrets } from "@pawl/core/model";
import { type Answer, answerIn } from "./answer.ts";
import type { Body } from "./body.ts";
import { bodyBytes } from "./body-bytes.ts";
import type { Call } from "./call.ts";
import type { Fetch } from "./node-fetch.ts";
import { type Answers, fetchOf, sendBySdk, sendPastSdk } from "./past-sdk.ts";

/** The options of `claude()` that decide how requests are sent. */
export interface SenderOptions {
  apiKey?: string;
  baseURL?: string;
  fetch?: Fetch;
  client?: Pick<Anthropic, "messages">;
}

/** Sends the requests of a model. */
export interface Sender {
  send(body: Body, call: Call): Promise<Answer>;
  /** Returns the secrets to remove from errors. */
  secrets(): string[];
  readonly baseURL: string | undefined;
}

/**
 * Makes the sender of a model. The application's own client is called through `messages`. Pawl's client is
 * called below that, with the body as bytes: this keeps the SDK's authentication, errors and headers, at a
 * fraction of the cost per request.
 */
export async function senderOf({ apiKey, baseURL, fetch, client }: SenderOptions): Promise<Sender> {
  if (client !== undefined) {
    return {
      send: async (body, { signal }) =>
        answerIn(await client.messages.create(body, { maxRetries: 0, signal }).asResponse()),
      secrets: () => clientSecrets(client, KEYS),
      baseURL: undefined,
    };
  }
  // The SDK has 300 modules and is most of what importing this package would cost, so the first request
  // loads it.
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const answers: Answers = new WeakMap();
  const sdk = new BaseAnthropic({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
    fetch: fetch ?? fetchOf(answers),
    defaultHeaders: { "content-type": "application/json" },
  });
  const send = fetch === undefined ? sendPastSdk(sdk, answers) : sendBySdk(sdk);
  return {
    send: (body, call) => send(bodyBytes(body), call),
    secrets: () => clientSecrets(sdk, KEYS),
    baseURL: sdk.baseURL,
  };
}

/** The fields of an SDK client that hold keys. */
const KEYS = ["apiKey", "authToken"];
