import { frame } from "../event-stream.ts";
import { parseRunRequest } from "../run-request.ts";
import type { Dialect } from "./dialect.ts";

/** Pawl's own: events of the log as they are, with their numbers as ids. `@pawl/client` and any `EventSource` take it. */
export function native(): Dialect {
  return {
    name: "native",
    resume: "cursor",
    async parse(body, { maxInputLength }) {
      const { sessionId, input, answers, clientMessageId } = await parseRunRequest(body, maxInputLength);
      return {
        ...(sessionId !== undefined && { sessionId }),
        begin: () =>
          input === undefined
            ? { answers: answers ?? [] }
            : { input, ...(clientMessageId !== undefined && { clientMessageId }) },
      };
    },
    encoder: () => ({ begin: () => [], encode: (event) => [frame(event)], end: () => [] }),
  };
}
