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
// Not `eventsource-parser`, which was a seventh of what a page loads (docs/decisions/0003). The tests compare
// this parser with Chromium's.
export function sseParser(
  onEvent: (event: ServerSentEvent) => void,
  onComment?: (comment: string) => void,
): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let lastEventId = "";
  let type = "";
  let data: string | undefined;
  /** The part of a line that has arrived. */
  let begun = "";
  let endsInCr = false;

  const take = (line: string): void => {
    if (line === "") {
      if (data !== undefined) onEvent({ type: type || "message", data, lastEventId });
      type = "";
      data = undefined;
      return;
    }
    const [field, value] = fieldOf(line);
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    if (field === "event") type = value;
    if (field === "id" && !value.includes("\0")) lastEventId = value;
    if (field === "") onComment?.(value);
  };

  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    if (text === "") return;
    // A CR at the end of the last chunk and an LF at the start of this one are one line break.
    const lines = (endsInCr && text[0] === "\n" ? text.slice(1) : text).split(/\r\n|\r|\n/);
    endsInCr = text.endsWith("\r");
    lines[0] = begun + lines[0];
    begun = lines.pop() ?? "";
    lines.forEach(take);
  };
}

/** Splits a line at its first colon. One space after the colon does not count. */
function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)];
}
