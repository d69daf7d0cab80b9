import type { Traffic } from "./traffic.ts";

/**
 * Returns the response with a body that fails as soon as it has more events than the server may send, or more
 * messages in a list. `onFlood` gets the error's text.
 */
// Here and not where messages arrive: the SDK parses a whole stream in one piece, and an event that is no
// message, or a line that is no field, takes it 10 µs.
export function countedResponse(
  response: Response,
  { received }: Pick<Traffic, "received">,
  onFlood: (text: string) => void,
): Response {
  const { body, status, statusText, headers } = response;
  const type = headers.get("content-type") ?? "";
  /** Throws if these are too many. */
  const count = (events: number): void => {
    const flood = received("events", events);
    if (flood === undefined) return;
    onFlood(flood);
    throw new Error(flood);
  };
  if (body === null || !/^\s*text\/event-stream/i.test(type)) return withCountedList(response, count);
  const eventsIn = eventCounter();
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(eventsIn(chunk));
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

/** Counts the messages of a list, which servers of older protocols may answer with. */
function withCountedList(response: Response, count: (messages: number) => void): Response {
  const read = response.json.bind(response);
  const json = async (): Promise<unknown> => {
    const value: unknown = await read();
    if (Array.isArray(value)) count(value.length);
    return value;
  };
  return Object.defineProperty(response, "json", { value: json });
}

const LINE_FEED = 10;
const RETURN = 13;

/** The fields of an event. A line that begins with a colon is a comment. */
const FIELDS: ReadonlySet<string> = new Set(["", "data", "event", "id", "retry"]);

/** The number of characters that tell a field: of the longest one, and its colon. */
const MOST_HEAD = 6;

/**
 * Returns a function that counts the events in the next piece of a stream: empty lines, which end events, and
 * lines that are no field.
 */
function eventCounter(): (chunk: Uint8Array) => number {
  let head = "";
  let last = 0;
  return (chunk) => {
    let events = 0;
    for (const byte of chunk) {
      if (byte === LINE_FEED || byte === RETURN) {
        // Both together are one end of a line.
        const isSecond = byte === LINE_FEED && last === RETURN;
        if (!isSecond && (head === "" || !FIELDS.has(head.split(":", 1)[0] ?? ""))) events += 1;
        head = "";
      } else if (head.length < MOST_HEAD) head += String.fromCharCode(byte);
      last = byte;
    }
    return events;
  };
}
