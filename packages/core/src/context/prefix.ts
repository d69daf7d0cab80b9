import type { Agent } from "../agent.ts";
import type { NewEvent } from "../events/event.ts";
import { canonicalJson, type JsonObject, toJson } from "../json.ts";
import type { ToolSpec } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";

/**
 * The `prefix` event that a new run of `agent` has to begin with: none while the session's prefix says the same. A
 * changed prefix costs the cache and all bound thinking, so it changes only here, between two runs.
 */
export function prefixFor(state: SessionState, agent: Agent, newId: () => string): NewEvent[] {
  const { id: _, chars: __, ...current } = state.prefix ?? { id: "", chars: 0 };
  const wanted = {
    system: [{ type: "text" as const, text: agent.instructions.toWellFormed() }],
    tools: toJson([...agent.tools.values()].map((tool) => tool.spec)) as unknown as ToolSpec[],
  };
  if (canonicalJson(current as JsonObject) === canonicalJson(wanted)) return [];
  return [{ type: "prefix", data: { prefix_id: newId(), ...wanted } }];
}
