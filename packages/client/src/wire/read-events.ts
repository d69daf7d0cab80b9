import type { SessionEvent } from "@pawl/core";
import { sseParser } from "./sse-parser.ts";

/**
 * Milliseconds without data after which a connection counts as broken, if the server announces no heartbeat.
 */
export const SILENCE_MS = 45_000;

/**
 * Yields the events of a response as they arrive, see {@link readData}.
 *
 * @throws Error also if a message in it is not an event.
 */
export async function* readEvents(
  response: Response,
  silenceMs: number | undefined,
): AsyncGenerator<SessionEvent, void, undefined> {
  for await (const data of readData(response, silenceMs)) yield parseEvent(data);
}

/**
 * Yields the data of each server-sent event of a response as it arrives. Ends when the response ends, whether
 * or not the run has ended. Default of `silenceMs`: three of the server's heartbeats, or 45,000.
 *
 * @throws Error if the response breaks off, or if no data (heartbeats count) arrives for `silenceMs`
 * milliseconds.
 */
export async function* readData(
  response: Response,
  silenceMs: number | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let arrived: string[] = [];
  let silence = silenceMs ?? SILENCE_MS;
  const feed = sseParser(
    ({ data }) => arrived.push(data),
    (comment) => {
      const [, heartbeat] = /^\s*pawl heartbeat=(\d{1,8})$/.exec(comment) ?? [];
      if (heartbeat !== undefined) silence = silenceMs ?? Math.max(1_000, 3 * Number(heartbeat));
    },
  );
  try {
    for (;;) {
      const { done, value } = await within(silence, reader.read());
      if (done) return;
      feed(value);
      const all = arrived;
      arrived = [];
      yield* all;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Resolves to the result of `work`. Rejects if `work` takes longer than `ms` milliseconds. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing arrived for ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Parses an event. Checks only its envelope, so that payloads of unknown types are accepted. */
function parseEvent(data: string): SessionEvent {
  const event: unknown = JSON.parse(data);
  const isEvent =
    typeof event === "object" &&
    event !== null &&
    "type" in event &&
    typeof event.type === "string" &&
    "data" in event &&
    (!("seq" in event) || Number.isInteger(event.seq));
  if (!isEvent) throw new Error("The server sent data that is not an event.");
  return event as SessionEvent;
}
