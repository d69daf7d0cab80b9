import {
  type Agent,
  checkOptions,
  type JsonObject,
  type OptionKinds,
  PawlError,
  type Runtime,
} from "@pawl/core";
import { TASKS } from "../base/task-wire.ts";
import { showsForms, takesTasks } from "./client-abilities.ts";
import { readMessage } from "./read-message.ts";
import { answerCall, endUnseen, type ServedAgent } from "./serve-call.ts";
import { serveTasks, taskResult } from "./serve-tasks.ts";

/** What `authorize` says about a request, as for `handler()` of `@pawl/sse`. */
export interface McpCaller {
  /** The user's id. It must come from something that the client cannot forge. */
  userId: string;
  /** What the application says about the user, see `RunOptions.caller`. */
  caller?: JsonObject;
  /** The caller's credentials, see `RunOptions.credentials`. */
  credentials?: unknown;
}

/** Options of `mcpHandler()`. */
export interface McpHandlerOptions {
  runtime: Runtime;
  /** The agent, one of the runtime's. */
  agent: Pick<Agent, "name">;
  /** Identifies the user. `null` answers 401, a `Response` is sent as it is. */
  authorize: (request: Request) => McpCaller | Response | null | Promise<McpCaller | Response | null>;
  /** The description of the tool, for the client's model: what the agent does. */
  description: string;
  /** The name of the tool. Default: `ask`. */
  toolName?: string;
  /**
   * A secret of at least 32 characters, the same in all processes: it signs the state of a question, which
   * the client keeps.
   */
  stateKey: string;
  /** How long a question can be answered, in seconds. Default: 604,800, a week. */
  stateTtlSeconds?: number;
  /**
   * When a run becomes a task, in milliseconds after its call: the client gets an id and asks for the result
   * later. Only for clients that declare the extension `io.modelcontextprotocol/tasks`; others wait for the
   * result. Default: 5,000.
   */
  taskAfterMs?: number;
  /** The maximum size of a request's body, in bytes. A larger one is refused with 413. Default: 1,000,000. */
  maxBodyBytes?: number;
  /**
   * The maximum length of a message, in UTF-16 code units. A call with a longer one fails. Default: 100,000.
   */
  maxInputLength?: number;
  /**
   * The hosts of pages that may send requests, without a port, e.g. `app.example.com`. Requests with another
   * `Origin` get 403. Programs send none. Default: pages of the same machine, e.g. of `localhost`.
   */
  origins?: readonly string[];
  /**
   * The address of the metadata by which clients find the authorization server (RFC 9728). A 401 for a caller
   * of `null` names it. The application serves it, e.g. by `oauthMetadataResponse()` of the SDK. Default:
   * none.
   */
  resourceMetadata?: string | URL;
}

const OPTIONS: OptionKinds<McpHandlerOptions> = {
  runtime: "object!",
  agent: "object!",
  authorize: "function!",
  description: "string!",
  toolName: "string",
  stateKey: "string!",
  stateTtlSeconds: "number",
  taskAfterMs: "number",
  maxBodyBytes: {
    mustBe: "a number of bytes above 0",
    is: (bytes) => typeof bytes === "number" && bytes > 0,
  },
  maxInputLength: {
    mustBe: "a number above 0",
    is: (length) => typeof length === "number" && length > 0,
  },
  origins: "list",
  resourceMetadata: { mustBe: "a URL", is: (value) => URL.canParse(String(value)) },
};

const WEEK = 604_800;

const TASK_AFTER_MS = 5_000;

/**
 * Returns a function `Request -> Response` that serves an agent as an MCP server over streamable HTTP. A call
 * of its tool is a run. What the agent asks becomes `input_required`, and the client answers by calling
 * again. A client that goes away does not stop the run. A run that takes long becomes a task, if the client
 * can handle one.
 *
 * The tool takes `message` and, to continue a conversation, the `session` of an earlier result.
 *
 * @throws PawlError `config` for unknown, missing or invalid options
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { mcpServer } from "@pawl/mcp";
 * import { mcpHandler } from "@pawl/mcp/server";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const poet = agent({
 *   name: "poet",
 *   model: scriptedModel([{ text: "Roses are red." }]),
 *   instructions: "You write poems.",
 * });
 * const serve = mcpHandler({
 *   runtime: runtime({ agents: [poet], store: memoryStore() }),
 *   agent: poet,
 *   description: "Writes poems.",
 *   stateKey: "a secret of at least 32 characters, from the environment",
 *   authorize: () => ({ userId: "ada" }), // in an app: check the request's token
 * });
 * const client = mcpServer({
 *   name: "poet",
 *   url: "https://poet.example.com/mcp",
 *   fetch: (input, init) => serve(new Request(input, init)),
 * });
 * const [tool] = await client.listTools({ userId: "ada" });
 * console.log(tool?.toolName, tool?.description); // mcp__poet__ask Writes poems.
 * await client.close();
 * ```
 */
export function mcpHandler(options: McpHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions("mcpHandler()", options, OPTIONS);
  const { authorize, stateKey, agent, toolName = "ask", stateTtlSeconds = WEEK, ...more } = options;
  const { origins, resourceMetadata, ...rest } = more;
  const { taskAfterMs = TASK_AFTER_MS, maxBodyBytes = 1_000_000, maxInputLength = 100_000 } = rest;
  if (!(taskAfterMs >= 0))
    throw new PawlError(
      "config",
      `\`taskAfterMs\` of mcpHandler() must be a number from 0, not ${taskAfterMs}.`,
    );
  if (stateKey.length < 32)
    throw new PawlError("config", "`stateKey` of mcpHandler() must have at least 32 characters.");
  const served = { ...rest, agent: agent.name, toolName, taskAfterMs, maxInputLength };
  const challenge = challengeOf(resourceMetadata);
  let handler: Promise<Serve> | undefined;
  return async (request) => {
    const foreign = await foreignOrigin(request, origins);
    if (foreign !== undefined) return foreign;
    const caller = await authorize(request);
    if (caller instanceof Response) return caller;
    if (caller === null)
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    const message = await readMessage(request, maxBodyBytes);
    if (message instanceof Response) return message;
    handler ??= makeHandler(served, { key: stateKey, ttlSeconds: stateTtlSeconds });
    const { userId: clientId, caller: facts, credentials } = caller;
    const extra = { ...(facts && { caller: facts }), ...(credentials !== undefined && { credentials }) };
    const authInfo = { token: "", clientId, scopes: [], extra };
    return await (await handler)(request, { authInfo, ...message });
  };
}

function challengeOf(resourceMetadata: string | URL | undefined): string {
  if (resourceMetadata === undefined) return "Bearer";
  return `Bearer resource_metadata="${new URL(resourceMetadata).href}"`;
}

/** Returns the answer to a page that may not send requests. DNS may give its host our address. */
async function foreignOrigin(
  request: Request,
  origins: readonly string[] | undefined,
): Promise<Response | undefined> {
  if (!request.headers.has("origin")) return undefined;
  const { localhostAllowedOrigins, originValidationResponse } = await import("@modelcontextprotocol/server");
  return originValidationResponse(request, [...(origins ?? localhostAllowedOrigins())]);
}

type Serve = (request: Request, options: { authInfo: AuthInfo; parsedBody?: unknown }) => Promise<Response>;

interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  extra: Record<string, unknown>;
}

/** How long, and by which secret, the state of a question is valid. */
interface StateOptions {
  key: string;
  ttlSeconds: number;
}

async function makeHandler(served: ServedAgent, { key, ttlSeconds }: StateOptions): Promise<Serve> {
  // Processes that serve no request do not pay for the SDK.
  const sdk = await import("@modelcontextprotocol/server");
  const codec = sdk.createRequestStateCodec<JsonObject>({
    key,
    ttlSeconds,
    bind: ({ http }) => http?.authInfo?.clientId ?? "",
  });
  const inputSchema = sdk.fromJsonSchema<{ message: string; session?: string }>({
    type: "object",
    properties: {
      message: { type: "string", description: "What to ask. The agent sees nothing else." },
      session: { type: "string", description: "The session of an earlier result, to continue there." },
    },
    required: ["message"],
  });
  const handler = sdk.createMcpHandler(
    () => {
      const server = new sdk.McpServer(
        { name: served.agent, version: "1" },
        { requestState: { verify: codec.verify }, capabilities: { extensions: { [TASKS]: {} } } },
      );
      serveTasks(sdk, server, served);
      const { toolName, description } = served;
      server.registerTool(toolName, { description, inputSchema }, async (input, ctx) => {
        const answer = await answerCall(served, input, ctx, takesTasks(ctx));
        if ("result" in answer) return answer.result as never;
        if ("task" in answer) return (await taskResult(served, answer.task, ctx)) as never;
        if (!showsForms(ctx)) return (await endUnseen(served, answer.question, ctx)) as never;
        const { key: name, form, state } = answer.question;
        const params = { message: form.message, requestedSchema: form.schema as never };
        return sdk.inputRequired({
          inputRequests: { [name]: sdk.inputRequired.elicit(params) },
          requestState: await codec.mint(state, ctx),
        });
      });
      return server;
    },
    // A run may take long: only a stream is kept alive.
    { responseMode: "sse" },
  );
  return async (request, options) => await handler.fetch(request, options);
}
