import type { Agent } from "../agent.ts";
import { PawlError } from "../errors.ts";
import type { EventData } from "../events/event.ts";
import type { ModelRequest } from "../model/model-client.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { sha256 } from "../sha256.ts";
import { admitted } from "./admit.ts";
import { withCacheBreakpoints } from "./cache.ts";
import { toMessages } from "./project.ts";

/** A request, and the event that says it was made. */
export interface BuiltRequest {
  request: ModelRequest;
  event: EventData["llm_request"];
}

/**
 * The next request of the session's open run. It depends on the log and on parameters outside the prompt only; within
 * one prefix it extends the request before it.
 *
 * @throws PawlError `context` when the log has nothing to send.
 */
export async function buildRequest(state: SessionState, agent: Agent): Promise<BuiltRequest> {
  if (state.lastSeq === 0) throw new PawlError("context", "Cannot build context: no events in session");
  const { prefix } = state;
  const entries = admitted(state, state.lastSeq);
  if (prefix === undefined || entries.at(-1)?.role !== "user") {
    throw new PawlError("context", "Cannot build context: nothing for the model to answer");
  }
  const request: ModelRequest = {
    system: prefix.system,
    tools: prefix.tools,
    messages: toMessages(entries),
    maxTokens: agent.maxTokens,
  };
  const fresh = entries.slice(state.hashed.entries).map(({ role, blocks }) => ({ role, blocks }));
  const base = state.hashed.hash === "" ? JSON.stringify([prefix.system, prefix.tools]) : state.hashed.hash;
  return {
    request: withCacheBreakpoints(request),
    event: {
      model: agent.model.id,
      prompt: {
        prefix_id: prefix.id,
        upto_seq: state.lastSeq,
        hash: await sha256(base + JSON.stringify(fresh)),
      },
      params: { max_tokens: agent.maxTokens },
      estimated_tokens: estimateTokens(entries.reduce((sum, { chars }) => sum + chars, prefix.chars)),
      turn: (openRun(state)?.turns ?? 0) + 1,
    },
  };
}

/** Characters divided by four, rounded up. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 4);
}
