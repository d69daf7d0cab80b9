import { PawlError } from "@pawl/core";

/** Headers of a stream that no proxy may hold back, compress or keep. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

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
  /** Fires when the client is gone, where the platform says so. */
  signal: AbortSignal;
  /** Told when the events fail. */
  onError(error: unknown): void;
  /** Called once the stream is over, however it ends. */
  onClose(): void;
  /** An item as text of the stream. */
  write(item: T): string;
  /**
   * Whether clients take an end without a last event for what it is. If not, the body is broken off when this
   * process goes down.
   */
  mayEnd?: boolean;
}

/**
 * Events as a body. It takes an event only when the reader wants one, so that a slow reader costs one frame
 * and no more. It is closed when the events are over or this process goes down, and broken off when they
 * fail. The signal that the events are made with fires when nobody reads any more.
 */
export function eventStream<T>(
  events: (signal: AbortSignal) => AsyncIterable<T>,
  { heartbeatMs, signal, onError, onClose, write, mayEnd = true }: EventStreamOptions<T>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const unread = new AbortController();
  const gone = AbortSignal.any([signal, unread.signal]);
  const source = oneAtATime(events(gone));
  const closed = () => {
    signal.removeEventListener("abort", closed);
    onClose();
  };
  if (signal.aborted) closed();
  else signal.addEventListener("abort", closed);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Who knows how often to expect something knows when to give up.
        controller.enqueue(encoder.encode(`: pawl heartbeat=${heartbeatMs}\n\n`));
      },
      async pull(controller) {
        try {
          const next = await source.next(heartbeatMs);
          // Nobody reads any more, so there is nobody to tell; and this is no end.
          if (gone.aborted) return;
          if (next === "nothing") controller.enqueue(encoder.encode(": hb\n\n"));
          else if (next.done) {
            closed();
            controller.close();
          } else controller.enqueue(encoder.encode(write(next.value)));
        } catch (error) {
          if (gone.aborted) return;
          closed();
          // A process that goes down ends its bodies as they are, at every open page: the servers print
          // broken ones. Without the run's end, a client comes again in either case.
          if (mayEnd && PawlError.is(error, "draining")) return controller.close();
          onError(error);
          controller.error(new Error("The stream broke off."));
        }
      },
      cancel() {
        closed();
        unread.abort();
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
 * An iterator that can be waited for in pieces: what comes after the wait is over is kept for the next one.
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
