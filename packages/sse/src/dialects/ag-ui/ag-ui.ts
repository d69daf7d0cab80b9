import type { Dialect } from "../base/dialect.ts";
import { agUiEncoder, runError } from "./ag-ui-encoder.ts";
import { agUiHistory } from "./ag-ui-messages.ts";
import { parseAgUi } from "./ag-ui-request.ts";

/**
 * Returns the dialect for AG-UI clients: `HttpAgent` of `@ag-ui/client`, and clients built on it, e.g.
 * CopilotKit. Supports versions 0.0.59 and 1.0; events of 1.0 are sent only to clients that declare it. Set
 * the client's `url` to the handler's `/runs` route. The client may choose any id for its thread.
 *
 * - Questions are interrupts, and `resume` answers them. An interrupt's id is `q` and the question's `seq`.
 * - The output of an agent with an `output` is the field `output` of the state (`STATE_DELTA`), sent again as
 *   it grows, and `null` if it is not valid. The whole output is also the `result` of `RUN_FINISHED`.
 * - Sub-agents are SUBAGENT_STARTED, with their `parentToolCallId`, and SUBAGENT_FINISHED or SUBAGENT_ERROR.
 *   A sub-agent that asks the user is `suspended`.
 * - A request without new messages retries the last run if it failed. If it did not fail, and for a request
 *   without any messages (`connectAgent()`), the thread is sent as it is.
 * - A message that arrives during a run interrupts the run, unless the agent has a `whenBusy`. (`abortRun()`
 *   only closes the connection.) `POST /sessions/:id/stop` stops a run.
 * - A message that was changed under its old id is refused with `invalid_input`. So is a new message in a
 *   thread that lacks the session's latest messages.
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
// In the app: new HttpAgent({ url: "https://…/runs", threadId })
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
    refused: runError,
    history: agUiHistory,
  };
}
