import { type Agent, agent, type ModelClient, PawlError, type Tool } from "@pawl/core";
import { type McpServer, mcpTools } from "@pawl/mcp";
import type { AgentsSource, CustomAgent } from "@pawl/planning";
import { connectorInstructions } from "../prompt/instructions.ts";
import type { Caller } from "../search/index.ts";
import { callerOf, type SearchDeps } from "../tools/index.ts";

/** An MCP server that becomes an agent, `mcp::<name>`, with the tools of the server. */
export interface Connector {
  /** The server, made by `mcpServer()` of `@pawl/mcp`. */
  server: McpServer<SearchDeps>;
  /** The name for people, e.g. `GitHub`. Default: the server's name. */
  name?: string;
  /** What the server is good for. The planner chooses agents by this text. */
  description: string;
  /** Whether a caller may use it, e.g. only those of one workspace. Default: everybody may. */
  mayUse?(caller: Caller): boolean;
  /** The cost of a call of the server, in US dollars. Servers do not report it. Default: 0. */
  costUsd?: number;
  /** How long a task waits for the server's list of tools, in milliseconds. Default: 4,000. */
  waitMs?: number;
  /** Is called if the server cannot be reached. Default: a warning on the console. */
  onError?(error: unknown): void;
}

/** Lists the connectors of a run's caller as agents. A server is connected when its first task begins. */
export function connectorAgents(
  connectors: readonly Connector[],
  model: ModelClient,
): (source: AgentsSource<SearchDeps>) => CustomAgent<SearchDeps>[] {
  const made = connectors.map((connector) => ({ connector, own: agentOf(connector, model) }));
  return (source) => {
    const caller = callerOf(source);
    return made
      .filter(({ connector }) => connector.mayUse?.(caller) ?? true)
      .map(({ connector: { server, name = server.name, description }, own }) => ({
        ...{ id: server.connector, name, description, domains: [server.name], agent: own },
      }));
  };
}

function agentOf(connector: Connector, model: ModelClient): Agent<SearchDeps> {
  const { server, description, waitMs, onError } = connector;
  const listed = mcpTools<SearchDeps>({
    servers: [server],
    ...(waitMs !== undefined && { waitMs }),
    ...(onError && { onError: (_server, error) => onError(error) }),
  });
  return agent<SearchDeps>({
    name: server.connector,
    model,
    instructions: connectorInstructions(server.name, description),
    tools: async (source) => {
      const tools = await listed(source);
      // A model without tools would make up its answer. So the task fails, and the caller's model reads why.
      if (tools.length === 0)
        throw new PawlError("tools_failed", `The connector "${server.name}" cannot be used at the moment.`);
      return tools.map((tool) => priced(tool, connector));
    },
    // It stops the server's tasks if the run is stopped.
    hooks: [listed.hook],
    limits: { turns: 6 },
    onLimit: "land",
  });
}

/** Reports the cost of each call. */
function priced(tool: Tool<SearchDeps>, { costUsd }: Connector): Tool<SearchDeps> {
  const { execute } = tool;
  if (costUsd === undefined || execute === undefined) return tool;
  return {
    ...tool,
    execute: (input, context) => {
      context.report({ costUsd });
      return execute(input, context);
    },
  };
}
