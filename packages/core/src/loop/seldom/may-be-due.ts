import { haveFiles } from "../../context/file-blocks.ts";
import type { Leg } from "../../leg/leg.ts";
import type { StoredEvent } from "../../log/event.ts";

/** Returns whether a checkpoint may be due: the agent has strategies, or the context may have files. */
// Saves most agents a copy of the whole context before each turn.
export function mayBeDue({ agent, log: { state } }: Leg): boolean {
  if (agent.checkpointWhen.length > 0) return true;
  return state.unsent.some(bringsFiles) || state.entries.some(({ blocks }) => haveFiles(blocks));
}

function bringsFiles({ type, data }: StoredEvent): boolean {
  if (type === "tool_result") return Array.isArray(data.content);
  return type === "user_message" && data.files !== undefined;
}
