import { PawlError } from "@pawl/core/view";

/** Options of {@link stopRun}: those that the page gives its `DefaultChatTransport`. */
export interface StopRunOptions {
  /** The URL that starts runs, e.g. `/api/coach/runs`. */
  api: string;
  /** Headers that the server's `authorize` reads, or a function that returns them. Default: none. */
  headers?:
    | Headers
    | Record<string, string>
    | (() => Headers | Record<string, string> | Promise<Headers | Record<string, string>>);
  /** Whether cookies are sent, as in `fetch`. Default: `same-origin`. */
  credentials?: "include" | "omit" | "same-origin";
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** What {@link stopRun} reads of a `Chat`, or of the result of `useChat()`. */
export interface StoppableChat {
  readonly id: string;
  readonly messages: readonly { readonly id: string; readonly role: string }[];
  stop(): Promise<void> | void;
}

/** Milliseconds to wait before the next try, while the message is on its way to the server. */
const WAITS_MS = [100, 200, 400, 800, 1_500];

/**
 * Stops a chat's run on the server. `stop()` of `useChat` only stops reading: the run continues, and is paid
 * for. The text that was written until then stays, in the page and after a reload.
 *
 * Never rejects. Tries again for up to 3 s while the server does not have the message yet. Resolves to
 * whether the server has accepted the request. If it has not, the page stops reading, as by `chat.stop()`.
 *
 * @throws PawlError `config` if `chat` or `api` is missing.
 *
 * @example
 * ```tsx compile
 * import { useChat } from "@ai-sdk/react";
 * import { stopRun } from "@pawl/client/ai-sdk";
 * import { DefaultChatTransport } from "ai";
 *
 * const server = { api: "/api/coach/runs" };
 * const transport = new DefaultChatTransport(server);
 *
 * export function Coach() {
 *   const chat = useChat({ transport });
 *   const isBusy = chat.status === "submitted" || chat.status === "streaming";
 *   return isBusy ? <button onClick={() => stopRun(chat, server)}>Stop</button> : null;
 * }
 * ```
 */
export function stopRun(chat: StoppableChat, options: StopRunOptions): Promise<boolean> {
  check(chat, options);
  return stopped(chat, options);
}

async function stopped(chat: StoppableChat, options: StopRunOptions): Promise<boolean> {
  // The server has the message or not yet. Its id keeps a late request from stopping the run of a later one.
  const message = chat.messages.findLast(({ role }) => role === "user")?.id;
  try {
    for (const waitMs of [...WAITS_MS, undefined]) {
      const { ok, status } = await request(chat.id, message, options);
      if (ok) return true;
      if (status !== 404 || waitMs === undefined) break;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  } catch {
    // The server cannot be reached.
  }
  await chat.stop();
  return false;
}

async function request(
  id: string,
  message: string | undefined,
  { api, headers, credentials, fetch: send = fetch }: StopRunOptions,
): Promise<Response> {
  const query = message === undefined ? "" : `?message=${encodeURIComponent(message)}`;
  const sent = typeof headers === "function" ? await headers() : headers;
  return await send(`${api}/${encodeURIComponent(id)}/stop${query}`, {
    method: "POST",
    ...(sent && { headers: sent }),
    ...(credentials && { credentials }),
  });
}

function check(chat: unknown, options: unknown): void {
  const { id, messages, stop } = Object(chat);
  if (typeof id !== "string" || !Array.isArray(messages) || typeof stop !== "function")
    throw new PawlError("config", "stopRun() needs a `Chat` of the AI SDK, or what useChat() returned.");
  const { api } = Object(options);
  if (typeof api !== "string")
    throw new PawlError(
      "config",
      'stopRun() needs the options of the page\'s transport, with its `api`: { api: "/api/coach/runs" }.',
    );
}
