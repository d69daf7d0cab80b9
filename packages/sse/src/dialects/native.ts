import type { SessionEvent } from "@pawl/core";
import type { Cursor } from "@pawl/core/view";
import { advanceCursor, formatCursor } from "@pawl/core/view";
import { parseRunRequest } from "../request/run-request.ts";
import type { Dialect } from "./base/dialect.ts";

/**
 * Pawl's own: events of the log as they are, with their places as ids. `@pawl/client` and any `EventSource`
 * take it.
 */
export function native(): Dialect {
  return {
    name: "native",
    resume: "cursor",
    async parse(body, { maxInputLength }) {
      const { sessionId, input, answers, retry, clientMessageId } = await parseRunRequest(
        body,
        maxInputLength,
      );
      return {
        ...(sessionId !== undefined && { sessionId }),
        begin: () => {
          if (retry !== undefined) return { retry };
          if (input === undefined) return { answers: answers ?? [] };
          return { input, ...(clientMessageId !== undefined && { clientMessageId }) };
        },
      };
    },
    encoder: ({ from = { afterSeq: 0 } }) => ({ begin: () => [], encode: framing(from), end: () => [] }),
  };
}

/**
 * Events as server-sent events. The id of one is the place behind it, if it brings the reader to another one.
 */
function framing(from: Cursor): (event: SessionEvent) => string[] {
  let place = from;
  return (event) => {
    const before = place;
    place = advanceCursor(before, event);
    const data = `data: ${JSON.stringify(event)}\n\n`;
    return [place === before ? data : `id: ${formatCursor(place)}\n${data}`];
  };
}
