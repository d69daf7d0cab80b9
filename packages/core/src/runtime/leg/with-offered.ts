import type { Agent } from "../../agent/agent.ts";
import type { ToolSpec } from "../../model/content.ts";
import { offeredTools, refuseTaken } from "../../tools/offered-tools.ts";

/**
 * Returns the agent with the tools that its client offers:
 *
 * - With `isOffered`, `specs` came with the message of a run that starts.
 * - With `isNew` alone, they are those of the session's prefix, for a run that has made no request yet.
 *   A tool that has the name of one of the agent's is left out.
 * - Otherwise the run is resumed with the tools of its prefix. They replace the agent's tools of the same
 *   name.
 *
 * @throws PawlError `invalid_input` with `isOffered`, if a tool has the name of one of the agent's
 */
export function agentWithOffered(
  agent: Agent,
  specs: readonly ToolSpec[],
  { isOffered, isNew }: { isOffered: boolean; isNew: boolean },
): Agent {
  if (isOffered) for (const { name } of specs) refuseTaken(agent, name);
  const offered = offeredTools(specs).filter(({ name }) => !isNew || !agent.tools.has(name));
  const tools = [...agent.tools.values(), ...offered];
  return { ...agent, tools: new Map(tools.map((tool) => [tool.name, tool])) };
}
