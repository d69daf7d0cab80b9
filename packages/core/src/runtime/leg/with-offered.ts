import type { Agent } from "../../agent/agent.ts";
import type { ToolSpec } from "../../model/content.ts";
import { offeredTools, refuseTaken } from "../../tools/offered-tools.ts";

/**
 * Returns the agent with the tools that its client offers. A run that starts gets those of its message, and
 * none has the name of one of the agent's. A run that is resumed gets those of its prefix, even if a later
 * version of the agent has a tool of the same name.
 *
 * @throws PawlError `invalid_input` if the run starts and a tool has the name of one of the agent's
 */
export function agentWithOffered(
  agent: Agent,
  specs: readonly ToolSpec[],
  { isOffered, isNew }: { isOffered: boolean; isNew: boolean },
): Agent {
  // A retry offers nothing: it leaves out a tool of the failed run whose name the agent has by now.
  if (isOffered) for (const { name } of specs) refuseTaken(agent, name);
  const offered = offeredTools(specs).filter(({ name }) => !isNew || !agent.tools.has(name));
  const tools = [...agent.tools.values(), ...offered];
  return { ...agent, tools: new Map(tools.map((tool) => [tool.name, tool])) };
}
