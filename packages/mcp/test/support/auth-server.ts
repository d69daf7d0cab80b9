import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import type { McpSignInStore } from "../../src/index.ts";
import { type AuthorizationServerOptions, authorizationServer } from "./authorization-server.ts";
import { elicit } from "./task-server.ts";
import { text } from "./world.ts";

interface AuthOptions extends AuthorizationServerOptions {
  /** The origin of the MCP server. */
  origin?: string;
  /** The scopes that the metadata of the MCP server name. Default: none. */
  supported?: readonly string[];
  /** The origin of the authorization server. Default: that of the MCP server. */
  issuer?: string;
}

/** An MCP server and its authorization servers, in one process. It accepts the tokens of the one it names. */
export function authServer({
  origin: mcpOrigin = "https://mcp.example.com",
  issuer = mcpOrigin,
  supported,
  ...options
}: AuthOptions = {}) {
  const first = authorizationServer(issuer, options);
  const all = new Map([[issuer, first]]);
  const calls: string[] = [];
  const scopes = new Map<string, string>();
  const redirects = new Map<string, string>();
  let named = issuer;
  let others: string[] = [];
  let isClosed = false;
  let metadata = `${mcpOrigin}/.well-known/oauth-protected-resource/mcp`;

  const grantOf = (headers: Headers | undefined) =>
    all.get(named)?.access.get(headers?.get("authorization")?.slice(7) ?? "");

  const handler = createMcpHandler(({ requestInfo }) => {
    const user = grantOf(requestInfo?.headers)?.user ?? "";
    const server = new SdkServer({ name: "mail", version: "1" });
    server.registerTool("read", {}, async () => {
      calls.push(user);
      return text(`mail of ${user} ${requestInfo?.headers.get("authorization")}`);
    });
    server.registerTool("ask", {}, async (ctx) => {
      const given = ctx.mcpReq.inputResponses;
      calls.push(given === undefined ? "asked" : JSON.stringify(given));
      if (given !== undefined) return text("done");
      return { resultType: "input_required", inputRequests: { q: elicit("Sure?") } } as never;
    });
    return server;
  });

  /** The scope that a request needs: of its tool, or of all requests. */
  async function neededBy(request: Request): Promise<string> {
    const text = await request.clone().text();
    const { method, params } = JSON.parse(text || "{}") as { method?: string; params?: { name: string } };
    const ofTool = method === "tools/call" ? scopes.get(params?.name ?? "") : undefined;
    return [scopes.get("all"), ofTool].filter((scope) => scope !== undefined).join(" ");
  }

  async function mcp(request: Request): Promise<Response> {
    const needed = await neededBy(request);
    const has = grantOf(request.headers);
    const granted = has?.scope?.split(" ") ?? [];
    const isAllowed =
      !isClosed && (needed === "" || needed.split(" ").every((scope) => granted.includes(scope)));
    if (has !== undefined && isAllowed) return await handler.fetch(request);
    const scope = needed === "" ? "" : `, scope="${needed}"`;
    const error = has === undefined ? "" : ', error="insufficient_scope"';
    const headers = { "www-authenticate": `Bearer resource_metadata="${metadata}"${scope}${error}` };
    return new Response("who?", { status: has === undefined ? 401 : 403, headers });
  }

  async function serve(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    const location = redirects.get(request.url);
    if (location !== undefined) return new Response(null, { status: 307, headers: { location } });
    if (origin === mcpOrigin && pathname === "/mcp") return await mcp(request);
    if (origin === mcpOrigin && pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({
        resource: `${mcpOrigin}/mcp`,
        authorization_servers: [...others, named],
        scopes_supported: supported,
      });
    return (await all.get(origin)?.serve(request)) ?? new Response(null, { status: 404 });
  }

  return {
    ...first,
    fetch: serve as typeof fetch,
    url: `${mcpOrigin}/mcp`,
    calls,
    /** Names another authorization server from now on. Tokens of the one before are refused. */
    moveTo: (origin: string, more: AuthorizationServerOptions = {}) => {
      const other = all.get(origin) ?? authorizationServer(origin, more);
      all.set(origin, other);
      named = origin;
      return other;
    },
    /** Names another authorization server before the one whose tokens are accepted. */
    nameFirst: (origin: string) => {
      others = [origin];
    },
    /** Sets where refused requests say that the metadata are. */
    setMetadata: (url: string) => {
      metadata = url;
    },
    /** Redirects requests for an address. */
    redirect: (from: string, to: string) => redirects.set(from, to),
    /** Answers 403 to all requests with a token. */
    refuseAll: () => {
      isClosed = true;
    },
    /** Wants this scope for calls of a tool, or for all requests. */
    need: (scope: string, tool = "all") => scopes.set(tool, scope),
  };
}

/** A store of sign-ins, as two processes share it. `withLock` makes them wait for each other. */
export function signInStore(withLock: boolean): McpSignInStore & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    kept,
    load: async (key) => kept.get(key),
    save: async (key, text) => {
      if (text === undefined) kept.delete(key);
      else kept.set(key, text);
    },
    ...(withLock && {
      lock: async (_key, work) => {
        const now = last.then(work, work);
        last = now.catch(() => undefined);
        return await now;
      },
    }),
  };
}
