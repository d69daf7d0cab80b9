import { type Tool, toJson } from "@pawl/core";
import { hide } from "../base/hide.ts";
import { type McpToolsSource, type McpUser, userOf } from "../base/user.ts";
import { checkServerOptions } from "../connect/check-server-options.ts";
import type { McpServerOptions, McpToolInfo } from "../connect/options.ts";
import { makePool } from "../connect/pool.ts";
import { type McpToolChange, toolLists } from "./list.ts";
import { connectorOf } from "./names.ts";
import { getPrompt, listPrompts, listResources, type McpSource, readResource } from "./read.ts";
import { type EndedCall, taskCanceller } from "./task-hook.ts";

/** An MCP server, made by {@link mcpServer}. */
export interface McpServer<Deps = unknown> {
  /** The server's name. */
  readonly name: string;
  /** The connector in reports and names of sub-agents: `mcp::<name>`. */
  readonly connector: string;
  /** Whether a run needs this server. */
  readonly required: boolean;
  /**
   * Returns the server's tools for one session and caller, for an agent's function `tools`. To ask several
   * servers side by side, and to go on without one that is down, use `mcpTools()`.
   *
   * @throws McpFailure if the server cannot be reached and its tools are not known
   */
  tools(source: McpToolsSource<Deps>): Promise<readonly Tool<Deps>[]>;
  /** Lists all tools of the server with their fingerprints, also those that are not offered. */
  listTools(user: McpUser<Deps>): Promise<readonly McpToolInfo[]>;
  /** Lists the server's resources. */
  listResources(user: McpUser<Deps>): Promise<McpSource[]>;
  /** Reads a resource as text, e.g. in `fetch` of a data source. Parts that are not text become a note. */
  readResource(uri: string, user: McpUser<Deps>): Promise<string>;
  /** Lists the server's prompts. */
  listPrompts(user: McpUser<Deps>): Promise<McpSource[]>;
  /** Reads a prompt as text: its messages, one after the other. */
  getPrompt(name: string, args: Readonly<Record<string, string>>, user: McpUser<Deps>): Promise<string>;
  /**
   * Asks the server to stop the task of a call that has ended without its result. The hook of `mcpTools()`
   * does this. Resolves to `true` if the task is over, and to `false` if it may still be running.
   *
   * @throws McpFailure if the server cannot be asked
   */
  cancelTask(call: EndedCall, user: McpUser<Deps>): Promise<boolean>;
  /**
   * Calls back when a list of tools differs from the one before it, or tools of the first one are left out.
   * Returns a function that ends this.
   */
  onChange(listener: (change: McpToolChange) => void): () => void;
  /** Closes all connections. The next use opens new ones. */
  close(): Promise<void>;
}

/**
 * Describes an MCP server: over streamable HTTP (`url`) or stdio (`command`). Nothing is connected or
 * imported until it is used. Connections are kept per user, and close when they are idle.
 *
 * @throws PawlError `config` for unknown, missing or invalid options
 *
 * @example
 * ```ts
 * import { mcpServer } from "@pawl/mcp";
 * import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
 *
 * const { fetch } = createMcpHandler(() => {
 *   const server = new McpServer({ name: "time", version: "1" });
 *   server.registerTool("now", { description: "The time." }, () => ({
 *     content: [{ type: "text", text: "12:00" }],
 *   }));
 *   return server;
 * });
 * const time = mcpServer({
 *   name: "time",
 *   url: "https://time.example.com/mcp",
 *   fetch: (input, init) => fetch(new Request(input, init)), // in an app: leave it out
 * });
 * const [tool] = await time.listTools({ userId: "ada" });
 * console.log(tool?.toolName, tool?.description); // mcp__time__now The time.
 * await time.close();
 * ```
 */
export function mcpServer<Deps = unknown>(options: McpServerOptions<Deps>): McpServer<Deps> {
  checkServerOptions(options as McpServerOptions<never>);
  const { name, required = false } = options;
  const listeners = new Set<(change: McpToolChange) => void>();
  const pool = makePool(options);
  const lists = toolLists(options, pool, (change) => {
    for (const listener of listeners) listener(change);
  });
  const listFor = async (user: McpUser<Deps>) => await lists.of(await pool.of(user));
  const shown = async <T>(
    user: McpUser<Deps>,
    read: (given: Parameters<typeof listResources>[0]) => Promise<T>,
  ) => {
    const connection = await pool.of(user);
    return hide(toJson(await read(connection)), connection.secrets()) as T;
  };
  return {
    name,
    connector: connectorOf(name),
    required,
    tools: async (source) => {
      const user = userOf(source);
      const connection = await pool.of(user);
      try {
        return (await lists.of(connection)).tools;
      } catch (error) {
        // Its tools of a while ago. A call says what is wrong.
        const known = lists.last(connection);
        if (known === undefined) throw error;
        return known.tools;
      }
    },
    listTools: async (user) => (await listFor(user)).infos,
    listResources: (user) => shown(user, listResources),
    readResource: (uri, user) => shown(user, (connection) => readResource(connection, uri, user.signal)),
    listPrompts: (user) => shown(user, listPrompts),
    getPrompt: (prompt, args, user) =>
      shown(user, (connection) => getPrompt(connection, prompt, args, user.signal)),
    cancelTask: taskCanceller(options, pool),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      lists.clear();
      await pool.close();
    },
  };
}
