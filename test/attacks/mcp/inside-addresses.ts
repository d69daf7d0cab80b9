import { mcpServer } from "@pawl/mcp";
import { signInStore } from "../../../packages/mcp/test/support/auth-server.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

const MCP = "https://mcp.example.com";
const INSIDE = "http://169.254.169.254";
const user = { userId: "ada" };

export const attack: Attack = {
  id: "attacks-04-inside",
  title: "An MCP server's metadata makes the process send requests to addresses inside",
  state: "held",
  guard: {
    file: "packages/mcp/test/sign-in-addresses.test.ts",
    title: "F24 gets no request if it is inside, as the place of the metadata",
  },
  attempt: () =>
    brokenByAny({
      "metadata of the resource": () => sent(`${INSIDE}/latest/meta-data?x=1`, MCP),
      "metadata over TLS": () => sent(`${INSIDE.replace("http", "https")}/latest/meta-data?x=1`, MCP),
      "authorization server": () => sent(`${MCP}/.well-known/oauth-protected-resource`, `${INSIDE}/internal`),
    }),
};

async function sent(metadata: string, authorizationServer: string): Promise<string> {
  const inside: string[] = [];
  const serve: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    if (origin.endsWith("://169.254.169.254")) inside.push(`${request.method} ${request.url}`);
    else if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${MCP}/mcp`, authorization_servers: [authorizationServer] });
    else if (pathname === "/mcp") {
      const challenge = `Bearer resource_metadata="${metadata}"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    return new Response(null, { status: 404 });
  };
  const server = mcpServer({
    name: "mail",
    url: `${MCP}/mcp`,
    protocol: "legacy",
    fetch: serve,
    oauth: { redirectUrl: "https://app.example.com/callback", store: () => signInStore(false) },
  });
  await server.listTools(user).catch(() => undefined);
  await server.signInUrl(user).catch(() => undefined);
  return brokenIf(inside.length > 0, `${inside.length} requests, e.g. ${inside[0]}`);
}
