import type { SessionEvent } from "@pawl/core";
import type { Cursor } from "@pawl/core/view";
import { advanceCursor, formatCursor } from "@pawl/core/view";
import { parseRunRequest } from "../request/run-request.ts";
import type { Dialect } from "./base/dialect.ts";

/**
 * Returns Pawl's own dialect, for `@pawl/client` and any `EventSource`. Sends the events of the log, with
 * their cursors as ids.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler, native } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const serve = handler({
 *   runtime: runtime({ agents: [greeter], store: memoryStore() }),
 *   agent: "greeter",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: native(),
 * });
 *
 * const body = JSON.stringify({ input: "Hi" });
 * const headers = { "content-type": "application/json" };
 * const response = await serve(
 *   new Request("http://localhost/runs", { method: "POST", headers, body }),
 * );
 * console.log((await response.text()).includes("Hello.")); // true
 * ```
 */
export function native(): Dialect {
  return {
    name: "native",
    resume: "cursor",
    async parse(body, { maxInputLength }) {
      const asked = await parseRunRequest(body, maxInputLength);
      const { sessionId, input, answers, retry, clientMessageId, tools } = asked;
      return {
        ...(sessionId !== undefined && { sessionId }),
        begin: () => {
          if (retry !== undefined) return { retry };
          if (input === undefined) return { answers: answers ?? [] };
          return {
            input,
            ...(clientMessageId !== undefined && { clientMessageId }),
            ...(tools !== undefined && { clientTools: tools }),
          };
        },
      };
    },
    encoder: ({ from = { afterSeq: 0 } }) => ({ begin: () => [], encode: framing(from), end: () => [] }),
  };
}

/**
 * Encodes events as server-sent events. An event's id is the reader's cursor after the event. Events that do
 * not move the cursor have no id.
 */
function framing(from: Cursor): (event: SessionEvent) => string[] {
  let cursor = from;
  return (event) => {
    const before = cursor;
    cursor = advanceCursor(before, event);
    const data = `data: ${JSON.stringify(event)}\n\n`;
    return [cursor === before ? data : `id: ${formatCursor(cursor)}\n${data}`];
  };
}
