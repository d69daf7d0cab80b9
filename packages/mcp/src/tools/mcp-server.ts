import { PawlError, type Tool, toJson } from "@pawl/core";
import { reporter } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { hide } from "../base/hide.ts";
import { type McpToolsSource, type McpUser, userOf } from "../base/user.ts";
import { checkServerOptions } from "../connect/check-server-options.ts";
import type { McpServerOptions, McpToolInfo } from "../connect/options.ts";
import { makePool } from "../connect/pool.ts";
import type { WaitingCall } from "../connect/sign-in-options.ts";
import { type McpToolChange, toolLists } from "./list.ts";
import { connectorOf } from "./names.ts";
import { getPrompt, listPrompts, listResources, type McpSource, readResource } from "./read.ts";
import { signInTool } from "./sign-in-tool.ts";
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
   * Returns the server's tools for one session and caller, for an agent's function `tools`. For
   * several servers, or to run without a server that is down, use `mcpTools()`.
   *
   * @throws McpFailure if the server cannot be reached and its tools are not known
   */
  tools(source: McpToolsSource<Deps>): Promise<readonly Tool<Deps>[]>;
  /** Lists all tools of the server with their fingerprints, also those that are not offered. */
  listTools(user: McpUser<Deps>): Promise<readonly McpToolInfo[]>;
  /** Lists the server's resources, without malformed ones. @throws McpFailure for more than 2,000 */
  listResources(user: McpUser<Deps>): Promise<McpSource[]>;
  /** Reads a resource as text, e.g. in `fetch` of a data source. Parts that are not text become a note. */
  readResource(uri: string, user: McpUser<Deps>): Promise<string>;
  /** Lists the server's prompts, without malformed ones. @throws McpFailure for more than 2,000 */
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
   * Returns the address at which the user signs in to a server with `oauth`, e.g. for a button of a settings
   * page. It is good for ten minutes.
   *
   * @throws McpFailure if the server's metadata cannot be read, or it does not register the app. Its message
   * is for people; the reason is its `cause`
   */
  signInUrl(user: McpUser<Deps>): Promise<string>;
  /**
   * Ends the sign-in of a user, with the parameters of the address to which the browser has returned. `user`
   * must be the one who is logged in there. Returns the calls that wait for it: answer each with `true`.
   *
   * @throws McpFailure `mcp_unauthorized` if it is not this user's, is over, or the user has declined. Its
   * message is for people; the reason is its `cause`
   */
  finishSignIn(params: URLSearchParams, user: McpUser<Deps>): Promise<readonly WaitingCall[]>;
  /** Whether there are tokens of the user. The server may have revoked them. */
  isSignedIn(user: McpUser<Deps>): Promise<boolean>;
  /**
   * Deletes the tokens of the user. They are not revoked at the server. Requests in progress go on; this
   * process sends no other with them, and other processes send none after a minute.
   */
  signOut(user: McpUser<Deps>): Promise<void>;
  /**
   * Calls back when a list of tools differs from the one before it, tools of the first one are left out, or
   * tools do not fit into a prompt. Returns a function that ends this.
   */
  onChange(listener: (change: McpToolChange) => void): () => void;
  /**
   * Calls back with the reason why a user's sign-in, or the refresh of the tokens, has failed. It has no
   * secrets, but words of the server. Returns a function that ends this. `mcpTools()` calls its `onError`.
   */
  onSignInError(listener: (error: Error) => void): () => void;
  /** Closes all connections. Resolves once no program runs any more. The next use opens new ones. */
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
  const signInListeners = new Set<(error: Error) => void>();
  const pool = makePool(options, (error) => {
    for (const listener of signInListeners) listener(error);
  });
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
  const own = pool.signIns === undefined ? [] : [signInTool({ options, pool }, lists)];
  const signIns = () => {
    if (pool.signIns === undefined) throw new PawlError("config", `mcpServer("${name}") has no \`oauth\`.`);
    return pool.signIns;
  };
  return {
    name,
    connector: connectorOf(name),
    required,
    tools: async (source) => {
      const user = userOf(source);
      const connection = await pool.of(user);
      try {
        return [...(await lists.of(connection)).tools, ...own];
      } catch (error) {
        // Its tools of a while ago. A call says what is wrong.
        const known = lists.last(connection);
        const asksToSignIn =
          error instanceof McpFailure && error.code === "mcp_unauthorized" && own.length > 0;
        if (known === undefined && !asksToSignIn) throw error;
        return [...(known?.tools ?? []), ...own];
      }
    },
    listTools: async (user) => (await listFor(user)).infos,
    listResources: (user) => shown(user, (connection) => listResources(connection, name)),
    readResource: (uri, user) => shown(user, (connection) => readResource(connection, uri, user.signal)),
    listPrompts: (user) => shown(user, (connection) => listPrompts(connection, name)),
    getPrompt: (prompt, args, user) =>
      shown(user, (connection) => getPrompt(connection, prompt, args, user.signal)),
    cancelTask: taskCanceller(options, pool),
    signInUrl: async (user) => await signIns().begin(user),
    finishSignIn: async (params, user) => await signIns().finish(params, user),
    isSignedIn: async (user) => await signIns().isSignedIn(user),
    signOut: async (user) => await signIns().signOut(user),
    onChange: (listener) => {
      const tell = reporter("onChange", listener);
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    onSignInError: (listener) => {
      signInListeners.add(listener);
      return () => signInListeners.delete(listener);
    },
    close: async () => {
      lists.clear();
      await pool.close();
    },
  };
}
