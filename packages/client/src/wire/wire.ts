import type { Answer, JsonObject } from "@pawl/core";
import { within } from "./read-events.ts";
import {
  eventStream,
  posting,
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

/** The routes of a conversation as functions. Each rejects with `Refused` unless the request succeeds. */
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
  /** Asks the session's run to stop. */
  stop(sessionId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Creates a client for the routes of a conversation. A request fails if there is no response within
 * `silenceMs`.
 */
export function wire(options: WireOptions, silenceMs: number): Wire {
  const request = requester(options, silenceMs);
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
    stop: async (id, signal) => {
      await request(`${sessionPath(id)}/stop`, signal, { method: "POST" });
    },
  };
}
