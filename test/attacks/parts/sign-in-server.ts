import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mcpServer } from "@pawl/mcp";
import { sendJson } from "./gateway.ts";

const ada = { userId: "ada" };

/**
 * An MCP server behind an authorization server that grants what is asked for, and a client that Ada may sign
 * in to. `serve` answers what is sent to the MCP server; `scope` is that of the token, `undefined` without one.
 */
export async function signInServer(
  metadata: object,
  serve: (response: ServerResponse, scope: string | undefined, base: string) => void,
) {
  let granted = "";
  const server = createServer((request, response) => {
    const base = `http://${request.headers.host}`;
    const { pathname } = new URL(request.url ?? "/", base);
    if (pathname.includes("oauth-protected-resource"))
      return sendJson(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
    if (pathname.startsWith("/.well-known/"))
      return sendJson(response, 200, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...metadata,
      });
    if (pathname === "/register") {
      const app = {
        client_id: "app",
        redirect_uris: ["http://127.0.0.1/back"],
        token_endpoint_auth_method: "none",
      };
      return sendJson(response, 201, app);
    }
    if (pathname === "/token")
      return sendJson(response, 200, { access_token: "t", token_type: "Bearer", scope: granted });
    return serve(response, request.headers.authorization === undefined ? undefined : granted, base);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kept = new Map<string, string>();
  const store = () => ({
    load: async (key: string) => kept.get(key),
    save: async (key: string, value?: string) => {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
    },
  });
  const oauth = { redirectUrl: "http://127.0.0.1/back", store };
  const mail = mcpServer({ name: "mail", url: `${base}/mcp`, oauth });
  return {
    mail,
    ada,
    /** Ada signs in, and agrees to the scopes in the address. Resolves to them. */
    signIn: async (): Promise<string | null> => {
      const { searchParams } = new URL(await mail.signInUrl(ada));
      const scope = searchParams.get("scope");
      granted = scope ?? "";
      const state = searchParams.get("state") ?? "";
      await mail.finishSignIn(new URLSearchParams({ code: "c", state, iss: base }), ada);
      return scope;
    },
  };
}
