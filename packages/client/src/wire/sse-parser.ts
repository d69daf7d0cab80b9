import { createParser } from "eventsource-parser";

/** A server-sent event, as `EventSource` would dispatch it. */
export interface ServerSentEvent {
  type: string;
  data: string;
  lastEventId: string;
}

/** Parses a stream of server-sent events as browsers do, from chunks that may be cut anywhere. */
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
