import { admitted } from "../context/admit.ts";
import { toMessages } from "../context/message-cache.ts";
import { applyEvent } from "../fold/apply.ts";
import type { StoredEvent } from "../log/event.ts";
import type { Message, TextBlock, ToolSpec } from "../model/content.ts";
import { newSessionState } from "../session/state.ts";

/** A request to the model, reconstructed from the log, without its cache breakpoints. */
export interface LoggedRequest {
  /** `seq` of its `llm_request`. */
  seq: number;
  /** Id of the `prefix` event that it was sent with. */
  prefixId: string;
  system: readonly TextBlock[];
  tools: readonly ToolSpec[];
  messages: readonly Message[];
}

/**
 * Reconstructs a session's requests from its whole log. From a public log, system and tools are empty and
 * notes are blank. A retry repeats the request before it.
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
