import { checkOptions, type Hook, type OptionKinds, PawlError, type Tool } from "@pawl/core";
import { reporter } from "@pawl/core/tools";
import type { McpToolsSource } from "../base/user.ts";
import type { McpToolChange } from "./list.ts";
import type { McpServer } from "./mcp-server.ts";
import { taskHook } from "./task-hook.ts";

/** Options of `mcpTools()`. */
export interface McpToolsOptions<Deps = unknown> {
  /** The servers, in the order of their tools. */
  servers: readonly McpServer<Deps>[];
  /**
   * How long a run waits for a server's list of tools, in milliseconds. It must be less than the agent's
   * `toolsTimeoutMs`. Afterwards the run begins without the server's tools, unless it is `required`. Default:
   * 4,000.
   */
  waitMs?: number;
  /**
   * Is called if a server is left out, if some of its tools are, if descriptions are cut, or if a user's
   * sign-in fails, with its reason. Default: a warning on the console.
   */
  onError?: (server: string, error: unknown) => void;
  /** Is called if a server's tools have changed, or some of them do not fit into a prompt. */
  onChange?: (change: McpToolChange) => void;
}

const OPTIONS: OptionKinds<McpToolsOptions> = {
  servers: "list!",
  waitMs: "number",
  onError: "function",
  onChange: "function",
};

const WAIT_MS = 4_000;

/** A function for an agent's `tools`, made by {@link mcpTools}. */
export interface McpTools<Deps = unknown> {
  (source: McpToolsSource<Deps>): Promise<Tool<Deps>[]>;
  /**
   * A hook for the agent's `hooks`. If a run ends without the result of a server's task, e.g. because the
   * user has stopped it, the hook asks the server to stop the task. If that is not confirmed, the model reads
   * that the task may still be running.
   */
  readonly hook: Hook<Deps>;
  /** Closes all connections of the servers. The next use opens new ones. */
  close(): Promise<void>;
}

/**
 * Returns a function for an agent's `tools`: the tools of these servers for one session and caller, named
 * `mcp__<server>__<tool>`. Servers are asked side by side, and one that is down is left out.
 *
 * @throws PawlError `config` for unknown options, no list of servers, or two servers with one name
 *
 * @example
 * ```ts
 * import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { mcpServer, mcpTools } from "@pawl/mcp";
 * import { scriptedModel } from "@pawl/testing";
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
 * const tools = mcpTools({ servers: [time] });
 * const clock = agent({
 *   name: "clock",
 *   model: scriptedModel([{ tools: [{ name: "mcp__time__now", input: {} }] }, { text: "It is noon." }]),
 *   instructions: "You know the time.",
 *   tools,
 * });
 * const pawl = runtime({ agents: [clock], store: memoryStore() });
 * const { actions } = await pawl.run(clock, { userId: "ada", input: "What time is it?" }).result;
 * console.log(actions[0]?.result); // { content: [ { type: 'text', text: '12:00' } ] }
 * await tools.close();
 * ```
 */
export function mcpTools<Deps = unknown>(options: McpToolsOptions<Deps>): McpTools<Deps> {
  checkOptions("mcpTools()", options, OPTIONS as OptionKinds<McpToolsOptions<Deps>>);
  const { servers, waitMs = WAIT_MS, onChange } = options;
  const report = reporter("onError", options.onError ?? warn);
  const reportSignIn = reporter("onError", options.onError ?? warnOfSignIn);
  const names = servers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new PawlError("config", `mcpTools() has two servers named "${twin}".`);
  if (!(waitMs >= 0))
    throw new PawlError("config", `waitMs of mcpTools() must be a number from 0, not ${waitMs}.`);
  for (const server of servers) {
    if (onChange !== undefined) server.onChange(onChange);
    server.onChange((change) => {
      for (const problem of problemsIn(change)) report(server.name, new Error(problem));
    });
    server.onSignInError((error) => reportSignIn(server.name, error));
  }

  async function ofServer(
    server: McpServer<Deps>,
    source: McpToolsSource<Deps>,
  ): Promise<readonly Tool<Deps>[]> {
    const reading = server.tools(source);
    if (server.required) return await reading;
    try {
      return await within(waitMs, reading);
    } catch (error) {
      report(server.name, error);
      return [];
    }
  }

  const tools = async (source: McpToolsSource<Deps>): Promise<Tool<Deps>[]> =>
    (await Promise.all(servers.map((server) => ofServer(server, source)))).flat();
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  return Object.assign(tools, { close, hook: taskHook(servers) });
}

/** The most names of tools in one message. */
const MOST_NAMES = 10;

/** Returns a message for each reason why tools are left out, and for descriptions that are cut. */
function problemsIn({ leftOut, shortened }: McpToolChange): string[] {
  const cut = shortened.map((name) => ({ name, why: "its description is cut at 8,000 characters" }));
  const byWhy = Map.groupBy([...leftOut, ...cut], ({ why }) => why);
  return [...byWhy].map(([why, tools]) => {
    const names = tools.slice(0, MOST_NAMES).map(({ name }) => `"${name}"`);
    const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
    return `The tool${tools.length === 1 ? "" : "s"} ${names.join(", ")}${more}: ${why}.`;
  });
}

/** Waits for a list. A slower connection stays in progress, for the next run. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late(ms))), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function late(ms: number): string {
  return `It did not answer within ${ms} ms (\`waitMs\` of mcpTools()). Its tools may be there for the next run.`;
}

function warn(server: string, error: unknown): void {
  console.warn(`Pawl: the MCP server "${server}" or a tool of it is left out: ${PawlError.describe(error)}`);
}

function warnOfSignIn(server: string, error: unknown): void {
  console.warn(`Pawl: the MCP server "${server}": ${PawlError.describe(error)}`);
}
