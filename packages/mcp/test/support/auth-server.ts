import { createHash } from "node:crypto";
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import { pause } from "../../../../test/support/pause.ts";
import type { McpSignInStore } from "../../src/index.ts";
import { elicit } from "./task-server.ts";
import { text } from "./world.ts";

const ORIGIN = "https://mcp.example.com";

/**
 * An MCP server and its authorization server, in one process: metadata, registration, codes with PKCE, and
 * refresh tokens that are good for one use. One that is used twice signs the user out, as RFC 9700 wants it.
 */
export function authServer() {
  const codes = new Map<string, { user: string; challenge: string; redirect: string }>();
  const access = new Map<string, string>();
  const refresh = new Map<string, { user: string; isUsed: boolean }>();
  const grants: string[] = [];
  const secrets: string[] = [];
  const calls: string[] = [];
  let count = 0;
  let refreshDelayMs = 0;

  const issue = (user: string) => {
    count += 1;
    const access_token = `access-${user}-${count}-${crypto.randomUUID()}`;
    const refresh_token = `refresh-${user}-${count}-${crypto.randomUUID()}`;
    secrets.push(access_token, refresh_token);
    access.set(access_token, user);
    refresh.set(refresh_token, { user, isUsed: false });
    return Response.json({ access_token, refresh_token, token_type: "Bearer", expires_in: 60 });
  };
  const signOut = (user: string) => {
    for (const [token, owner] of access) if (owner === user) access.delete(token);
    for (const [token, { user: owner }] of refresh) if (owner === user) refresh.delete(token);
  };
  const refuse = (error: string, said = "") =>
    Response.json({ error, error_description: `No: ${said}` }, { status: 400 });

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    if (grant === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const verifier = form.get("code_verifier") ?? "";
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      if (code?.challenge !== challenge || code.redirect !== form.get("redirect_uri"))
        return refuse("invalid_grant", String(form.get("code")));
      return issue(code.user);
    }
    await pause(refreshDelayMs, "the time that the server takes");
    const given = form.get("refresh_token") ?? "";
    const known = refresh.get(given);
    if (known === undefined || known.isUsed) {
      if (known !== undefined) signOut(known.user);
      return refuse("invalid_grant", given);
    }
    known.isUsed = true;
    return issue(known.user);
  }

  const handler = createMcpHandler(({ requestInfo }) => {
    const user = access.get(requestInfo?.headers.get("authorization")?.slice(7) ?? "") ?? "";
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

  async function serve(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
    if (pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        issuer: ORIGIN,
        authorization_endpoint: `${ORIGIN}/authorize`,
        token_endpoint: `${ORIGIN}/token`,
        registration_endpoint: `${ORIGIN}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register")
      return Response.json({ ...((await request.json()) as object), client_id: "app-1" }, { status: 201 });
    if (pathname === "/token") return await token(request);
    if (pathname !== "/mcp") return new Response(null, { status: 404 });
    if (access.has(request.headers.get("authorization")?.slice(7) ?? "")) return await handler.fetch(request);
    const challenge = `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`;
    return new Response("who?", { status: 401, headers: { "www-authenticate": challenge } });
  }

  return {
    fetch: serve as typeof fetch,
    url: `${ORIGIN}/mcp`,
    grants,
    secrets,
    calls,
    /** What the browser of a user brings back from this address. */
    visit: (address: string, user: string): URLSearchParams => {
      const { searchParams } = new URL(address);
      const code = `code-${crypto.randomUUID()}`;
      secrets.push(code);
      const challenge = searchParams.get("code_challenge") ?? "";
      codes.set(code, { user, challenge, redirect: searchParams.get("redirect_uri") ?? "" });
      return new URLSearchParams({ code, state: searchParams.get("state") ?? "" });
    },
    /** Ends all access tokens; refresh tokens stay. */
    expire: () => access.clear(),
    signOut,
    setRefreshDelay: (ms: number) => {
      refreshDelayMs = ms;
    },
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
