import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { Tool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";
import { checkItems } from "./check-agent-options.ts";
import { checkTools } from "./check-tools.ts";

/**
 * Returns the agent with the tools that its function has returned.
 *
 * @throws PawlError `config` if they are not a list of tools, or `agent()` would refuse them.
 */
export function withTools(agent: Agent, given: unknown): Agent {
  const whose = `agent("${agent.name}")`;
  if (!Array.isArray(given))
    throw new PawlError("config", `\`tools\` of ${whose} must return a list of tools; got ${kindOf(given)}.`);
  checkItems(whose, "tools", given);
  const tools: readonly Tool[] = given;
  const whole = { ...agent, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  checkTools(whole, tools);
  return whole;
}
