import { PawlError, type Tool } from "@pawl/core";
import { reporter, unmetCondition } from "@pawl/core/tools";
import { PATHS } from "../wire/definition.ts";
import { checkToolHandler, servable } from "./check-handler.ts";
import { type Definitions, definitionsOf } from "./definitions.ts";
import { execute } from "./execute.ts";
import type { ServedTools, ToolHandlerOptions, ToolUser } from "./handler-options.ts";
import { openApi } from "./open-api.ts";
import { privateJson, Refusal } from "./tool-error.ts";

/**
 * Serves tools over HTTP. Mount the returned function under a path. It takes a web `Request` and does not
 * reject.
 *
 * - `GET <base>/tools/schema`: `{ tools: [{ name, description, input_schema, … }], version }`, with an `ETag`
 * - `POST <base>/tools/execute` with `{ tool_name, tool_input }`: runs the tool and answers `{ tool_name,
 *   result }`. A tool that throws is also a 200, `{ tool_name, error: { message, code? } }`: the request was
 *   served, and a retry would not help. The header `Idempotency-Key` reaches the tool as `idempotencyKey`. If
 *   the client disconnects, the tool's `signal` aborts
 * - `GET <base>/openapi.json`: an OpenAPI 3.1 document of these routes and the user's tools
 *
 * Both GET routes also answer HEAD.
 *
 * Other failures are `{ error: { code, message } }`, see {@link ToolErrorCode}. A tool's `format`,
 * `shortenInput` and `category` do not travel.
 *
 * @throws PawlError `config` for unknown, missing and invalid options, and for tools that need a session.
 *
 * @example
 * ```ts
 * import { type ToolContext, tool } from "@pawl/core";
 * import { toolHandler } from "@pawl/remote/server";
 * import * as z from "zod";
 *
 * const ranks = new Map([["ada", "Champion II"]]);
 * const getRank = tool({
 *   name: "get_rank",
 *   description: "Returns the user's rank in a playlist.",
 *   input: z.object({ playlist: z.string() }),
 *   execute: (_input, { deps, userId }: ToolContext<typeof ranks>) => ({ rank: deps.get(userId) ?? null }),
 * });
 * const serve = toolHandler({
 *   tools: [getRank],
 *   authorize: (request) =>
 *     request.headers.get("authorization") === "Bearer of-ada" ? { userId: "ada" } : null,
 *   deps: () => ranks,
 *   basePath: "/api",
 * });
 *
 * const response = await serve(
 *   new Request("http://localhost/api/tools/execute", {
 *     method: "POST",
 *     headers: { authorization: "Bearer of-ada", "content-type": "application/json" },
 *     body: JSON.stringify({ tool_name: "get_rank", tool_input: { playlist: "duel" } }),
 *   }),
 * );
 * console.log(await response.json()); // { tool_name: 'get_rank', result: { rank: 'Champion II' } }
 * ```
 */
export function toolHandler<Deps = unknown>(
  options: ToolHandlerOptions<Deps>,
): (request: Request) => Promise<Response> {
  checkToolHandler(options);
  const served = withDefaults(options as unknown as ToolHandlerOptions);
  const toolsOf = listing(served);
  return async (request) => {
    if (typeof Object(request).headers?.get !== "function") {
      const message =
        "toolHandler() takes web requests. In Node or Express, wrap it, e.g. with nodeListener(serve) of @pawl/sse/node.";
      throw new PawlError("config", message);
    }
    try {
      return await route(served, toolsOf, request);
    } catch (error) {
      if (error instanceof Refusal) return error.response;
      served.onError(error, request);
      return new Refusal(500, "internal", "Something went wrong on our side. Please try again.").response;
    }
  };
}

function withDefaults(options: ToolHandlerOptions): ServedTools {
  const { tools, authorize, deps, basePath = "", title = "Tools", timeoutMs = 60_000 } = options;
  const { maxBodyBytes = 1_000_000, maxResultBytes = 1_000_000 } = options;
  const { onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`) } = options;
  const limits = { timeoutMs, maxBodyBytes, maxResultBytes };
  return {
    tools,
    authorize,
    basePath,
    title,
    ...limits,
    onError: reporter("onError", onError),
    ...(deps && { deps }),
  };
}

/** The tools of one user. `described` computes their definitions once. */
interface Listed {
  byName: ReadonlyMap<string, Tool>;
  described(): Promise<Definitions>;
}

/** Returns the function that lists a user's tools. A list that is the same for all is checked at once. */
function listing({ tools }: ServedTools): (user: ToolUser) => Promise<Listed> {
  if (typeof tools === "function") return async (user) => listed(await tools(user));
  const same = listed(tools);
  return async () => same;
}

function listed(tools: readonly Tool[]): Listed {
  const byName = servable(tools);
  let described: Promise<Definitions> | undefined;
  return {
    byName,
    described: () => {
      described ??= definitionsOf(byName.values());
      return described;
    },
  };
}

async function route(
  served: ServedTools,
  toolsOf: (user: ToolUser) => Promise<Listed>,
  request: Request,
): Promise<Response> {
  const { basePath } = served;
  const { pathname } = new URL(request.url);
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : undefined;
  const method = ROUTES.get(path ?? "");
  if (method === undefined) throw new Refusal(404, "not_found", noRoute(request.method, pathname, basePath));
  const isRead = method === "GET" && (request.method === "GET" || request.method === "HEAD");
  if (!isRead && request.method !== method) {
    const allow = method === "GET" ? "GET, HEAD" : method;
    throw new Refusal(405, "method_not_allowed", `Use ${method}.`, { headers: { allow } });
  }
  const user = await served.authorize(request);
  if (user === null) {
    const message = "The bearer token is missing, or it is not valid any more.";
    throw new Refusal(401, "unauthorized", message, { headers: { "www-authenticate": "Bearer" } });
  }
  if (isResponse(user)) return user;
  checkUser(user);
  const { byName, described } = await toolsOf(user);
  if (path === PATHS.execute) return await execute(served, byName, user, request);
  const definitions = await described();
  const found =
    path === PATHS.openApi ? privateJson(openApi(served, definitions)) : schemaResponse(definitions);
  const answer = notMet(request, found) ?? found;
  return request.method === "HEAD" ? new Response(null, answer) : answer;
}

const ROUTES: ReadonlyMap<string, "GET" | "POST"> = new Map([
  [PATHS.schema, "GET"],
  [PATHS.execute, "POST"],
  [PATHS.openApi, "GET"],
]);

function noRoute(method: string, path: string, base: string): string {
  return `No such route: ${method} ${path}. This handler serves ${base}${PATHS.schema}, ${base}${PATHS.execute} and ${base}${PATHS.openApi}. Check \`basePath\`, or the client's \`url\`.`;
}

// Servers for Node may have a class `Response` of their own.
function isResponse(value: object | undefined): value is Response {
  return typeof Object(value).headers?.get === "function";
}

function checkUser(user: Partial<ToolUser> | undefined): asserts user is ToolUser {
  if (typeof user?.userId !== "string" || user.userId === "")
    throw new PawlError("config", "authorize() must return { userId }, a Response, or null.");
}

/** The tools may depend on the user, so only the client may keep them. */
const revalidated = (version: string) => ({
  etag: `"${version}"`,
  "cache-control": "private, no-cache",
  vary: "authorization, cookie",
});

/** Returns the response to a request whose conditions do not hold; `undefined` if they do. */
function notMet({ headers }: Request, found: Response): Response | undefined {
  const status = unmetCondition(headers, found.headers.get("etag") ?? undefined);
  if (status === undefined) return undefined;
  if (status === 412)
    return new Refusal(
      412,
      "invalid_input",
      "The resource does not have the ETag of the request's `if-match`. Load the resource again.",
    ).response;
  const kept = new Headers(found.headers);
  kept.delete("content-type");
  return new Response(null, { status, headers: kept });
}

function schemaResponse(definitions: Definitions): Response {
  return privateJson(definitions, { headers: revalidated(definitions.version) });
}
