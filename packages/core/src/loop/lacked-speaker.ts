import type { Agent } from "../agent/agent.ts";
import { errorEvent } from "../log/error-event.ts";
import type { NewEvent } from "../log/event.ts";
import { handOverTarget } from "../session/queued.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Returns the events that report a missing agent to the log and to the model: this runtime lacks the agent
 * that has the conversation, so the agent `name` starts the run. Returns an empty list if `name` has the
 * conversation.
 */
export function lackedSpeaker(state: SessionState, { name }: Pick<Agent, "name">): NewEvent[] {
  const gone = handOverTarget(state.run) ?? state.handedTo?.name ?? name;
  if (gone === name) return [];
  const text = `The agent "${gone}" is gone, so "${name}" continues. Earlier notes on roles are void.`;
  const context = { agent: gone };
  return [errorEvent({ code: "agent_missing", message: text, context }), { type: "note", data: { text } }];
}
