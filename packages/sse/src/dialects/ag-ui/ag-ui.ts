import { type Dialect, dataFrame } from "../base/dialect.ts";
import { agUiEncoder } from "./ag-ui-encoder.ts";
import { agUiHistory } from "./ag-ui-messages.ts";
import { parseAgUi } from "./ag-ui-request.ts";

/**
 * The AG-UI protocol, for `HttpAgent` of `@ag-ui/client` and clients built on it (CopilotKit, assistant-ui).
 * Works with 0.0.59 and 1.0: events that only 1.0 knows are sent only to clients that declare it. Point `url`
 * at `/runs`. The thread's id is the user's own name for the session.
 *
 * - Questions are interrupts, and `resume` answers them. An interrupt's id is `q` and the `seq` of the
 *   question.
 * - A request without new messages retries the last run if it failed, and otherwise sends the thread as it
 *   is. A request without any messages sends the thread too, for `connectAgent()`.
 * - A message that arrives during a run interrupts it, unless the agent has a `whenBusy`: `abortRun()` only
 *   closes the connection, and the run continues. `POST /sessions/:id/stop` stops it.
 * - Another text under a known id is refused, and so is a thread that was cut.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { agUi, handler } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const serve = handler({
 *   runtime: runtime({ agents: [coach], store: memoryStore() }),
 *   agent: "coach",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: agUi(),
 * });
 * // In the app: new HttpAgent({ url: "https://…/runs", threadId })
 * const messages = [{ id: "m1", role: "user", content: "Good morning" }];
 * const response = await serve(
 *   new Request("http://localhost/runs", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ threadId: "t1", runId: "r1", messages, tools: [], context: [] }),
 *   }),
 * );
 * console.log(await response.text());
 * ```
 */
export function agUi(): Dialect {
  return {
    name: "AG-UI",
    resume: "replay",
    threadField: "messages",
    whenBusy: "interrupt",
    tellsIdle: true,
    parse: async (body, limits, earlier) => {
      const { stream, ...asked } = await parseAgUi(body, limits, earlier);
      return { ...asked, encoder: (context) => agUiEncoder(context, stream()) };
    },
    encoder: (context) => agUiEncoder(context, { isOne: false, tools: [] }),
    refused: ({ code, message }) => [dataFrame({ type: "RUN_ERROR", message, code })],
    history: agUiHistory,
  };
}
