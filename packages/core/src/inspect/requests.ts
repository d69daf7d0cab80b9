import { admitted } from "../context/admit.ts";
import { toMessages } from "../context/message-cache.ts";
import { applyEvent } from "../fold/apply.ts";
import type { StoredEvent } from "../log/event.ts";
import type { Message, TextBlock, ToolSpec } from "../model/content.ts";
import { newSessionState } from "../session/state.ts";

/** A request to the model as the log tells it, without its cache markers. */
export interface LoggedRequest {
  /** `seq` of its `llm_request`. */
  seq: number;
  prefixId: string;
  system: readonly TextBlock[];
  tools: readonly ToolSpec[];
  messages: readonly Message[];
}

/**
 * The requests of a session, built again from its whole log. Where the log was made public, system and tools
 * are empty and notes are blank, as it says nothing else. A retry sent what the request before it did.
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
