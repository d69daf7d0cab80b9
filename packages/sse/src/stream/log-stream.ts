import { PawlError, type SessionEvent } from "@pawl/core";
import type { Cursor } from "@pawl/core/view";
import { newView, parseCursor } from "@pawl/core/view";
import type { Dialect } from "../dialects/base/dialect.ts";
import { newFacts } from "../dialects/base/facts.ts";
import { native } from "../dialects/native.ts";
import { refusal } from "../request/wire-error.ts";
import { type EventParts, type Expose, publicEvents } from "../session/public-event.ts";
import { type Closing, eventStream, HEARTBEAT_MS, STREAM_HEADERS } from "./event-stream.ts";
import { lifeMsOf } from "./stream-life.ts";

/** The options of `handler()` that a stream uses. */
interface Served {
  agent: string;
  dialect?: Dialect;
  expose?: Expose;
  parts?: EventParts;
  heartbeatMs?: number;
  reauthorizeMs?: number;
  onError?(error: unknown, request: Request): void;
}

/** A reader's request, and the cursor after which the reader resumes. */
interface Reader {
  request: Request;
  from: Cursor;
  headers: Readonly<Record<string, string>>;
  onClose(how: Closing): void;
}

/**
 * Streams the events of a session until they end or the reader disconnects. A dialect with `resume: "replay"`
 * cannot encode single events, so its streams use the native dialect.
 */
export function logStream(
  options: Served,
  { request, from, headers, onClose }: Reader,
  events: (signal: AbortSignal) => AsyncIterable<SessionEvent>,
): Response {
  const { dialect = native() } = options;
  const { encoder } = dialect.resume === "cursor" ? dialect : native();
  const { encode } = encoder({
    agent: options.agent,
    sessionId: "",
    threadId: "",
    runId: "",
    mode: null,
    facts: newFacts(),
    cursor: 0,
    isAnswered: () => false,
    before: newView(),
    from,
  });
  const shownEvents = (signal: AbortSignal) => publicEvents(events(signal), options);
  const body = eventStream(shownEvents, {
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    signal: request.signal,
    life: { lifeMs: lifeMsOf(options.reauthorizeMs) },
    onClose,
    write: (event) => encode(event).join(""),
    onError: (error) => {
      if (!PawlError.is(error, "draining")) options.onError?.(error, request);
    },
  });
  return new Response(body, { headers: { ...STREAM_HEADERS, ...headers } });
}

/**
 * Parses the cursor after which a reader resumes. An empty cursor means the beginning.
 *
 * @throws HTTPException 400 for an invalid cursor.
 */
export function cursorOf(value: string | undefined): Cursor {
  const cursor = parseCursor(value || "0");
  if (cursor !== undefined) return cursor;
  throw refusal(
    400,
    "invalid_input",
    "A cursor must be the number of an event, or the id of an event that a stream has sent.",
  );
}
