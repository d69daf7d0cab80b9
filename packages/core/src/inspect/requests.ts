import { admitted } from "../context/admit.ts";
import { toMessages } from "../context/message-cache.ts";
import { applyEvent } from "../fold/apply.ts";
import type { StoredEvent } from "../log/event.ts";
import type { Message, TextBlock, ToolSpec } from "../model/content.ts";
import { newSessionState } from "../session/new-state.ts";

/** A request to the model, reconstructed from the log. It has no cache breakpoints. */
export interface LoggedRequest {
  /** `seq` of the request's `llm_request` event. */
  seq: number;
  /** The id of the `prefix` event whose system prompt and tools the request contains. */
  prefixId: string;
  /** The system prompt, in blocks. */
  system: readonly TextBlock[];
  /** The tools of the request. */
  tools: readonly ToolSpec[];
  /** The conversation as it was sent. */
  messages: readonly Message[];
}

/**
 * Reconstructs all model requests of a session from its whole log. In a public log, system, tools and the
 * texts of notes are missing, so they are empty in the result. A second attempt repeats the request of the
 * first.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { requestsOf } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [greeter], store });
 * const { sessionId } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 *
 * const [request] = requestsOf(await Array.fromAsync(store.read(sessionId)));
 * console.log(request?.messages[0]?.content); // [ { type: 'text', text: 'Hi' } ]
 * ```
 */
export function requestsOf(events: Iterable<StoredEvent>): LoggedRequest[] {
  const state = newSessionState("");
  const requests: LoggedRequest[] = [];
  for (const event of events) {
    if (event.type === "llm_request") {
      const { prefix_id: prefixId, upto_seq } = event.data.prompt;
      const { system = [], tools = [] } = state.prefix ?? {};
      const messages = toMessages(admitted(state, upto_seq), state.kept.messages);
      requests.push({ seq: event.seq, prefixId, system, tools, messages });
    }
    applyEvent(state, event);
  }
  return requests;
}
