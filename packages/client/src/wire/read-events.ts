import type { SessionEvent } from "@pawl/core";
import { sseParser } from "./sse-parser.ts";

/**
 * How long nothing comes, in milliseconds, until a connection is thought dead, where nobody has said
 * otherwise.
 */
export const SILENCE_MS = 45_000;

/**
 * The events of a response, as they come in. Ends when the response ends, whatever that means; throws when it
 * breaks off, when nothing at all comes for `silenceMs` (heartbeats count as life), or when it holds
 * something else than events. Without `silenceMs` it is three heartbeats, if the server says how often it
 * sends one.
 */
export async function* readEvents(
  response: Response,
  silenceMs: number | undefined,
): AsyncGenerator<SessionEvent, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let arrived: SessionEvent[] = [];
  let silence = silenceMs ?? SILENCE_MS;
  const feed = sseParser(
    ({ data }) => arrived.push(parseEvent(data)),
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
      const events = arrived;
      arrived = [];
      yield* events;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The result of `work`, unless it takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing came for ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** The envelope is checked; payloads of types that we do not know pass. */
function parseEvent(data: string): SessionEvent {
  const event: unknown = JSON.parse(data);
  const isEvent =
    typeof event === "object" &&
    event !== null &&
    "type" in event &&
    typeof event.type === "string" &&
    "data" in event &&
    (!("seq" in event) || Number.isInteger(event.seq));
  if (!isEvent) throw new Error("The server sent something that is no event.");
  return event as SessionEvent;
}
