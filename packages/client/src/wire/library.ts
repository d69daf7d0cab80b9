import type { Session } from "@pawl/core";
import { within } from "./read-events.ts";
import { isObject, pathOf, Refused, requester, type WireOptions } from "./request.ts";

/** One of the user's sessions, for a list of conversations. */
export interface ListedSession extends Session {
  /**
   * The session's `metadata.title`, if the application has set one, or else the beginning of its first
   * message. Absent if the session has no message.
   */
  title?: string;
}

/**
 * The routes for the user's sessions and files as functions. Each rejects with {@link Refused} unless the
 * request succeeds.
 */
export interface Library {
  /** Resolves to the user's sessions, newest first. */
  sessions(signal: AbortSignal): Promise<ListedSession[]>;
  /** Uploads a file. Resolves to its id. */
  upload(file: Blob, signal: AbortSignal): Promise<string>;
  /** Loads one of the user's files. */
  file(id: string, signal: AbortSignal): Promise<Blob>;
}

/** How long an upload may take, in milliseconds: the server answers when it has read the whole file. */
const UPLOAD_MS = 600_000;

/**
 * Creates a client for the user's sessions and files. A request for sessions fails if there is no response
 * within `silenceMs`.
 */
export function library(options: WireOptions, silenceMs: number): Library {
  const request = requester(options, silenceMs);
  const slowly = requester(options, Math.max(silenceMs, UPLOAD_MS));
  return {
    sessions: async (signal) => {
      const response = await request("/sessions", signal, { cache: "no-store" });
      return sessionsFrom(await within(silenceMs, response.json()));
    },
    upload: async (file, signal) => {
      const headers = { "content-type": "application/octet-stream" };
      const response = await slowly("/files", signal, { method: "POST", headers, body: file });
      const body: unknown = await within(silenceMs, response.json());
      if (isObject(body) && typeof body.id === "string") return body.id;
      throw new Refused(200, "protocol", "The server's response is not a file. Check the client's `url`.");
    },
    file: async (id, signal) => await bytesOf(await slowly(pathOf("files", id), signal), silenceMs),
  };
}

/** Resolves to the bytes of a file. Rejects if nothing arrives for `silenceMs`. */
async function bytesOf(response: Response, silenceMs: number): Promise<Blob> {
  const type = response.headers.get("content-type") ?? "";
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  try {
    while (reader !== undefined) {
      const { done, value } = await within(silenceMs, reader.read());
      if (done) break;
      parts.push(value);
    }
    return new Blob(parts, { type });
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

function sessionsFrom(body: unknown): ListedSession[] {
  if (isObject(body) && Array.isArray(body.sessions)) return body.sessions;
  throw new Refused(200, "protocol", "The server's response is not a list. Check the client's `url`.");
}
