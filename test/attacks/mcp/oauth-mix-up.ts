import { type McpOAuthOptions, mcpServer } from "@pawl/mcp";
import { signInStore } from "../../../packages/mcp/test/support/auth-server.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

const SECRET = "client-secret-0123456789abcdef";
const MCP = "https://mcp.example.com";
const HONEST = "https://honest.example.com";
const EVIL = "https://evil.example.com";
const user = { userId: "ada" };

export const attack: Attack = {
  id: "attacks-04",
  title: "An MCP server that is taken over gets the client secret, code and verifier of another one",
  state: "held",
  guard: {
    file: "packages/mcp/test/sign-in-issuer.test.ts",
    title: "F24 F17 no client secret goes to another one: the sign-in is refused, and nothing is sent there",
  },
  attempt: () =>
    brokenByAny({
      "client secret": async () => {
        const evil = await mixedUp({ clientId: "our-app", clientSecret: SECRET, issuer: HONEST });
        return brokenIf(evil.includes(SECRET) || evil.includes(btoa(`our-app:${SECRET}`)), "at the evil one");
      },
      "code and verifier": async () => {
        const evil = await mixedUp({});
        return brokenIf(
          /CODE-OF-HONEST.*code_verifier|code_verifier.*CODE-OF-HONEST/.test(evil),
          "at the evil one",
        );
      },
    }),
};

/**
 * Ada begins to sign in at the honest authorization server. The MCP server then names the evil one, where she
 * begins once more, and comes back from the honest one. Resolves to what the evil token endpoint got.
 */
async function mixedUp(client: Partial<McpOAuthOptions>): Promise<string> {
  let named = HONEST;
  let clock = Date.now();
  const evilGot: string[] = [];
  const serve: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    if (origin === MCP && pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${MCP}/mcp`, authorization_servers: [named] });
    if (origin === MCP && pathname === "/mcp") {
      const challenge = `Bearer resource_metadata="${MCP}/.well-known/oauth-protected-resource"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    if (origin !== MCP && pathname.startsWith("/.well-known/oauth-authorization-server"))
      return Response.json(metadataOf(origin));
    if (origin !== MCP && pathname === "/token") {
      if (origin === EVIL) evilGot.push(`${request.headers.get("authorization")} ${await request.text()}`);
      return Response.json({ access_token: `token of ${origin}`, token_type: "Bearer" });
    }
    if (origin !== MCP && pathname === "/register")
      return Response.json({ ...((await request.json()) as object), client_id: "app" }, { status: 201 });
    return new Response(null, { status: 404 });
  };
  const kept = signInStore(false);
  const server = mcpServer({
    name: "mail",
    url: `${MCP}/mcp`,
    protocol: "legacy",
    fetch: serve,
    now: () => clock,
    oauth: {
      redirectUrl: "https://app.example.com/callback",
      store: () => kept,
      ...client,
    },
  });
  const first = new URL(await server.signInUrl(user));
  if (first.origin !== HONEST) throw new Error(`The sign-in began at ${first.origin}.`);
  named = EVIL;
  // Until then a sign-in that has begun is continued.
  clock += 11 * 60_000;
  await server.signInUrl(user).catch(() => undefined);
  const state = first.searchParams.get("state") ?? "";
  const back = new URLSearchParams({ code: "CODE-OF-HONEST", state });
  await server.finishSignIn(back, user).catch(() => undefined);
  return evilGot.join(" ");
}

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
});
