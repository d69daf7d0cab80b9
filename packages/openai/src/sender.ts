import { clientSecrets } from "@pawl/core/model";
import { OpenAI } from "openai";
import type { Body } from "./body.ts";
import { withErrorBodies } from "./error-body.ts";

/** The options of `openai()` that decide how requests are sent. */
export interface SenderOptions {
  apiKey?: string;
  baseURL?: string;
  fetch?: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  client?: Pick<OpenAI, "chat">;
}

/** Sends the requests of a model. */
export interface Sender {
  send(body: Body, signal: AbortSignal): Promise<Response>;
  /** Returns the secrets to remove from errors. */
  secrets(): string[];
  readonly baseURL: string | undefined;
}

/** Makes the sender of a model. */
export function senderOf({ apiKey, baseURL, fetch, client }: SenderOptions): Sender {
  const sdk: Pick<OpenAI, "chat"> =
    client ??
    new OpenAI({
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(baseURL === undefined ? {} : { baseURL }),
      fetch: withErrorBodies(fetch ?? ((url, init) => globalThis.fetch(url, init))),
    });
  return {
    send: (body, signal) => sdk.chat.completions.create(body, { maxRetries: 0, signal }).asResponse(),
    secrets: () => clientSecrets(sdk, ["apiKey", "adminAPIKey"]),
    baseURL: (sdk as { baseURL?: string }).baseURL,
  };
}
