import { type AgentOptions, agent, agentTool, PawlError, type Tool } from "@pawl/core";
import type { McpServer } from "./mcp-server.ts";
import { mcpTools } from "./mcp-tools.ts";

/** Options of `connectorAgent()`: those of its agent, and the description of the tool. */
export interface ConnectorAgentOptions<Deps = unknown>
  extends Omit<AgentOptions<Deps>, "name" | "tools" | "instructions"> {
  /** The description for the calling model: what the connector is good for. */
  description: string;
  /** The agent's instructions. Default: to do the task with the server's tools, and to report it. */
  instructions?: AgentOptions<Deps>["instructions"];
  /** Is called if the server, or one of its tools, is left out. Default: a warning on the console. */
  onError?: (server: string, error: unknown) => void;
}

/**
 * Makes one sub-agent for a server: a tool `mcp__<server>` whose agent is named `mcp::<server>` and has the
 * server's tools. So the calling model reads one tool per connector, and not all of theirs.
 *
 * @throws PawlError `config` for options that an agent cannot have
 *
 * @example
 * ```ts
 * import { agent } from "@pawl/core";
 * import { connectorAgent, mcpServer } from "@pawl/mcp";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const mail = mcpServer({ name: "mail", url: "https://mail.example.com/mcp" });
 * const model = scriptedModel([{ text: "No mail." }]);
 * const askMail = connectorAgent(mail, { model, description: "Reads and sends the user's mail." });
 * const assistant = agent({ name: "assistant", model, instructions: "You help.", tools: [askMail] });
 * console.log(askMail.name, mail.connector, assistant.name); // mcp__mail mcp::mail assistant
 * ```
 */
export function connectorAgent<Deps = unknown>(
  server: McpServer<Deps>,
  options: ConnectorAgentOptions<Deps>,
): Tool<Deps> {
  if (typeof server?.connector !== "string")
    throw new PawlError("config", "connectorAgent() takes a server, made by mcpServer(), and options.");
  const { description, onError, instructions = defaultInstructions(server.name), ...ofAgent } = options;
  const tools = mcpTools({ servers: [server], ...(onError && { onError }) });
  const worker = agent<Deps>({
    ...ofAgent,
    name: server.connector,
    instructions,
    tools,
    hooks: [...(ofAgent.hooks ?? []), tools.hook],
  });
  // By `agents`, the name of the sub-agent is in the log.
  return agentTool({ agents: () => worker, name: `mcp__${server.name}`, description }) as Tool<Deps>;
}

function defaultInstructions(name: string): string {
  return `You work with the tools of "${name}". Do what the task asks, and report the outcome in a few sentences, with the facts that matter. If you cannot do it, say why.`;
}
