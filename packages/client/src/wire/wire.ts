import type { Answer, JsonObject, Session } from "@pawl/core";
import { within } from "./read-events.ts";
import {
  eventStream,
  isObject,
  posting,
  Refused,
  requester,
  type Snapshot,
  sessionPath,
  snapshotFrom,
  type WireOptions,
} from "./request.ts";

/** The body of `POST /runs`. */
export interface RunBody {
  sessionId?: string;
  input?: string | readonly InputPart[];
  answers?: readonly Answer[];
  retry?: string;
  clientMessageId?: string;
  tools?: readonly JsonObject[];
}

/** A part of a message: its text, or a file that was uploaded. */
export type InputPart = { type: "text"; text: string } | { type: "file"; id: string; name?: string };

/** One of the user's sessions, for a list of conversations. */
export interface ListedSession extends Session {
  /**
   * The session's `metadata.title`, if the application has set one, or else the beginning of its first
   * message. Absent if the session has no message.
   */
  title?: string;
}

/** The routes of `@pawl/sse` as functions. Each rejects with {@link Refused} unless the request succeeds. */
export interface Wire {
  /** Begins or resumes a run. Resolves to its stream. */
  run(body: RunBody, signal: AbortSignal): Promise<Response>;
  /**
   * Resolves to the session's view with at least its `last` messages. With the `before` of an earlier
   * response, resolves to at least `last` older messages.
   */
  snapshot(sessionId: string, signal: AbortSignal, last: number, before?: number): Promise<Snapshot>;
  /** Streams the events after `place`, a cursor as `formatCursor` writes it. */
  stream(sessionId: string, place: string, signal: AbortSignal): Promise<Response>;
  /** Resolves to the user's sessions, newest first. */
  sessions(signal: AbortSignal): Promise<ListedSession[]>;
  /** Uploads a file. Resolves to its id. */
  upload(file: Blob, signal: AbortSignal): Promise<string>;
  /** Loads one of the user's files. */
  file(id: string, signal: AbortSignal): Promise<Blob>;
  /** Asks the session's run to stop. */
  stop(sessionId: string, signal: AbortSignal): Promise<void>;
}

/** How long an upload may take, in milliseconds: the server answers when it has read the whole file. */
const UPLOAD_MS = 600_000;

/**
 * Creates a client for the routes of `@pawl/sse`. A request fails if there is no response within `silenceMs`.
 */
export function wire(options: WireOptions, silenceMs: number): Wire {
  const request = requester(options, silenceMs);
  const slowly = requester(options, Math.max(silenceMs, UPLOAD_MS));
  return {
    run: async (body, signal) => eventStream(await request("/runs", signal, posting(body))),
    snapshot: async (id, signal, last, before) => {
      const more = before === undefined ? "" : `&before=${before}`;
      const response = await request(`${sessionPath(id)}?last=${last}${more}`, signal);
      return snapshotFrom(await within(silenceMs, response.json()), before !== undefined);
    },
    stream: async (id, place, signal) =>
      eventStream(
        await request(`${sessionPath(id)}/stream`, signal, {
          headers: { accept: "text/event-stream", "last-event-id": place },
          cache: "no-store",
        }),
      ),
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
    file: async (id, signal) => await (await slowly(`/files/${encodeURIComponent(id)}`, signal)).blob(),
    stop: async (id, signal) => {
      await request(`${sessionPath(id)}/stop`, signal, { method: "POST" });
    },
  };
}

function sessionsFrom(body: unknown): ListedSession[] {
  if (isObject(body) && Array.isArray(body.sessions)) return body.sessions;
  throw new Refused(200, "protocol", "The server's response is not a list. Check the client's `url`.");
}
