import { PawlError } from "@pawl/core";
import { oneAtATime } from "./one-at-a-time.ts";
import { beginLife, type Living, type StreamLife } from "./stream-life.ts";

/** The headers of a stream. They keep proxies from buffering, compressing or caching it. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The default interval of heartbeats. Bun closes a connection that is silent for 10 s. */
export const HEARTBEAT_MS = 5_000;

/**
 * Returns the headers with a stream's session and run. Headers can only have Latin-1 characters, so ids are
 * escaped with `encodeURI`; `decodeURIComponent` restores them.
 */
export function runHeaders({
  sessionId,
  runId,
}: {
  sessionId: string;
  runId: string;
}): Record<string, string> {
  return { "x-pawl-session": encodeURI(sessionId), "x-pawl-run": encodeURI(runId) };
}

/**
 * How a stream has closed: its events have `ended`, it is `broken` because reading failed or this process is
 * shutting down, or its reader is `gone`.
 */
export type Closing = "ended" | "broken" | "gone";

/** Options of {@link eventStream}. */
export interface EventStreamOptions<T> {
  /** Milliseconds without an event after which a comment is sent as a heartbeat. */
  heartbeatMs: number;
  /** Aborts when the client has disconnected, on platforms that report it. */
  signal: AbortSignal;
  /** Called with the error if reading the events fails. */
  onError(error: unknown): void;
  /** Called once, when the stream closes. */
  onClose(how: Closing): void;
  /** Returns an item as text of the stream. */
  write(item: T): string;
  /**
   * Whether the body may end without a last event when this process shuts down. `false` breaks the body off
   * instead, for clients that would take a clean end as a success. Default: `true`.
   */
  mayEnd?: boolean;
  /** How long the body lasts. */
  life: StreamLife;
}

/**
 * Returns events as the body of a response. Reads the next event only when the reader asks for it, so that a
 * slow reader costs the memory of one event. Ends the body when the events end, this process shuts down or
 * the request is aborted, and breaks it off if the events fail. The signal passed to `events` aborts when the
 * reader disconnects.
 */
export function eventStream<T>(
  events: (signal: AbortSignal) => AsyncIterable<T>,
  { heartbeatMs, signal, onError, onClose, write, mayEnd = true, life }: EventStreamOptions<T>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = new AbortController();
  const gone = reader.signal;
  const source = oneAtATime(events(gone));
  let isOpen = true;
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  let living: Living | undefined;
  const closed = (how: Closing) => {
    living?.close();
    signal.removeEventListener("abort", abort);
    if (isOpen) onClose(how);
    isOpen = false;
  };
  const stop = (how: Closing) => {
    closed(how);
    reader.abort();
    source.close();
  };
  const leave = () => stop("gone");
  const abort = () => {
    leave();
    // Middleware, a test or another handler of this process may still read the body.
    body?.close();
  };
  const breakOff = () => body?.error(new Error("The stream broke off."));
  const end = (last: false | string) => {
    // The client has not left: it may connect again.
    stop("broken");
    if (last === false) return breakOff();
    if (last !== "") body?.enqueue(encoder.encode(last));
    body?.close();
  };
  const fail = (error: unknown) => {
    stop("broken");
    // A process that shuts down ends its streams cleanly, because servers log broken ones. A client whose run
    // has not ended reconnects in both cases.
    if (mayEnd && PawlError.is(error, "draining")) return body?.close();
    onError(error);
    breakOff();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body = controller;
        // The client needs the heartbeat's interval to detect a dead connection.
        controller.enqueue(encoder.encode(`: pawl heartbeat=${heartbeatMs}\n\n`));
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort);
      },
      async pull(controller) {
        // Not before: nobody reads the body of a response to HEAD.
        living ??= beginLife(life, { end, fail });
        try {
          const next = await source.next(heartbeatMs);
          await living?.renewed();
          // The reader has disconnected: nothing can be sent, and the end of the events does not matter.
          if (gone.aborted) return;
          if (next === "nothing") controller.enqueue(encoder.encode(": hb\n\n"));
          else if (next.done) {
            closed("ended");
            controller.close();
          } else controller.enqueue(encoder.encode(write(next.value)));
        } catch (error) {
          if (!gone.aborted) fail(error);
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
