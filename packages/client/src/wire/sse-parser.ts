import { createParser } from "eventsource-parser";

/** A server-sent event, with the fields that `EventSource` would give it. */
export interface ServerSentEvent {
  type: string;
  data: string;
  lastEventId: string;
}

/**
 * Returns a function that parses chunks of a stream of server-sent events as browsers do. A chunk may end
 * anywhere, even within a character.
 */
export function sseParser(
  onEvent: (event: ServerSentEvent) => void,
  onComment?: (comment: string) => void,
): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let lastEventId = "";
  const parser = createParser({
    onId: (id) => {
      lastEventId = id;
    },
    ...(onComment && { onComment }),
    onEvent: ({ event = "message", data }) => onEvent({ type: event, data, lastEventId }),
  });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}
