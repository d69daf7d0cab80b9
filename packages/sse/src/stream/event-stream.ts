import { PawlError } from "@pawl/core";

/** Headers of a stream: no proxy may buffer, compress or cache it. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The default interval of heartbeats. Bun closes a connection that is silent for 10 s. */
export const HEARTBEAT_MS = 5_000;

/**
 * Headers that identify a stream's session and run. Headers hold Latin-1 only, so ids are escaped as by
 * `encodeURI`; `decodeURIComponent` restores them.
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

export interface EventStreamOptions<T> {
  /** A comment is sent after this many milliseconds without an event. */
  heartbeatMs: number;
  /** Aborts when the client has disconnected, if the platform reports it. */
  signal: AbortSignal;
  /** Called when the events fail. */
  onError(error: unknown): void;
  /** Called once the stream is over, however it ends. */
  onClose(): void;
  /** Encodes an item as text of the stream. */
  write(item: T): string;
  /**
   * Whether clients notice an end without a last event. If not, the body is broken off when this process
   * shuts down. Default: `true`.
   */
  mayEnd?: boolean;
}

/**
 * Streams events as a body. Takes an event only when the reader asks for one, so that a slow reader costs one
 * frame of memory. Closes the body when the events are over or this process shuts down, and breaks it off
 * when they fail. The signal given to `events` aborts when the reader is gone.
 */
export function eventStream<T>(
  events: (signal: AbortSignal) => AsyncIterable<T>,
  { heartbeatMs, signal, onError, onClose, write, mayEnd = true }: EventStreamOptions<T>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = new AbortController();
  const gone = reader.signal;
  const source = oneAtATime(events(gone));
  const closed = () => {
    signal.removeEventListener("abort", leave);
    onClose();
  };
  const leave = () => {
    closed();
    reader.abort();
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The client needs the interval to notice a dead connection.
        controller.enqueue(encoder.encode(`: pawl heartbeat=${heartbeatMs}\n\n`));
      },
      async pull(controller) {
        try {
          const next = await source.next(heartbeatMs);
          // The reader is gone, so nothing is sent, and this does not count as an end.
          if (gone.aborted) return;
          if (next === "nothing") controller.enqueue(encoder.encode(": hb\n\n"));
          else if (next.done) {
            closed();
            controller.close();
          } else controller.enqueue(encoder.encode(write(next.value)));
        } catch (error) {
          if (gone.aborted) return;
          closed();
          // A process that shuts down closes the bodies of all open pages, because servers log broken ones. A
          // client that has not seen the run's end reconnects in either case.
          if (mayEnd && PawlError.is(error, "draining")) return controller.close();
          onError(error);
          controller.error(new Error("The stream broke off."));
        }
      },
      cancel() {
        leave();
        source.close();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Source<T> {
  /** The next item, or `nothing` if none came within `ms`. */
  next(ms: number): Promise<IteratorResult<T> | "nothing">;
  close(): void;
}

/**
 * Wraps an iterator so that one wait for it may time out. An item that arrives after the timeout is kept for
 * the next call.
 */
function oneAtATime<T>(items: AsyncIterable<T>): Source<T> {
  const iterator = items[Symbol.asyncIterator]();
  let asked = false;
  let got: { result: IteratorResult<T> } | { error: unknown } | undefined;
  let wake: () => void = () => undefined;
  const ask = () =>
    iterator
      .next()
      .then(
        (result) => {
          got = { result };
        },
        (error: unknown) => {
          got = { error };
        },
      )
      .then(() => wake());
  return {
    async next(ms) {
      if (!asked) {
        asked = true;
        void ask();
      }
      if (got === undefined) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const arrived = got;
      if (arrived === undefined) return "nothing";
      got = undefined;
      asked = false;
      if ("error" in arrived) throw arrived.error;
      return arrived.result;
    },
    close() {
      wake();
      iterator.return?.().catch(() => undefined);
    },
  };
}
