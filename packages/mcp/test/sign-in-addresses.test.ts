import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type McpFailure, type McpServerOptions, mcpServer } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";
import { resolveNames } from "./support/names.ts";

const ada = { userId: "ada" };
const LOGIN = "https://login.example.net";

beforeEach(() => resolveNames());
afterEach(() => vi.restoreAllMocks());

/** A server, and the addresses of all requests for its sign-ins. */
function connect(auth: ReturnType<typeof authServer>, more: Partial<McpServerOptions<unknown>> = {}) {
  const sent: string[] = [];
  const fetcher = (async (input: string, init?: RequestInit) => {
    sent.push(String(input));
    return await auth.fetch(input, init);
  }) as typeof fetch;
  const oauth = { redirectUrl: "https://app.example.com/callback", store: () => store };
  const store = signInStore(false);
  const server = mcpServer({ name: "mail", url: auth.url, fetch: fetcher, oauth, ...more });
  return { server, sent };
}

/** Begins a sign-in, and returns why that failed. */
async function whyNot(server: ReturnType<typeof connect>["server"]): Promise<string> {
  const failure = await server.signInUrl(ada).then(
    () => undefined,
    (error: McpFailure) => error,
  );
  return (failure?.cause as Error | undefined)?.message ?? "It began.";
}

const INSIDE = [
  "https://10.0.0.7",
  "https://192.168.1.1",
  "https://169.254.169.254",
  "https://100.64.0.1",
  "https://127.0.0.1:8443",
  "https://localhost",
  "https://[::1]",
  "https://[fe80::1]",
  "https://[fd00::1]",
  "https://[fec0::1]",
  "https://[::a00:7]",
  "https://[::ffff:10.0.0.7]",
  "https://[64:ff9b::a00:7]",
  "https://0x7f.1",
];

describe("an address that a server names for its sign-ins", () => {
  it.each(INSIDE)("F24 gets no request if it is %s, as the authorization server", async (origin) => {
    const auth = authServer();
    const { server, sent } = connect(auth);
    auth.moveTo(origin);
    expect(await whyNot(server)).toMatch(/is not on the public internet/);
    expect(sent.filter((one) => !one.startsWith("https://mcp.example.com/"))).toEqual([]);
  });

  it("F24 gets no request if it is inside, as the place of the metadata", async () => {
    const auth = authServer();
    const { server, sent } = connect(auth);
    auth.setMetadata("https://169.254.169.254/latest/meta-data?x=1");
    await server.listTools(ada).catch(() => undefined);
    expect(await whyNot(server)).toMatch(/is not on the public internet: its address 169\.254\.169\.254/);
    expect(sent.join()).not.toContain("169.254");
  });

  it.each(["registration_endpoint", "token_endpoint"])(
    "F24 gets no request if it is inside, as %s",
    async (name) => {
      const auth = authServer({ metadata: { [name]: "https://10.0.0.7/x" } });
      const { server, sent } = connect(auth);
      const url = await server.signInUrl(ada).catch(() => undefined);
      const end = url && server.finishSignIn(auth.visit(url, "ada"), ada);
      await expect(end ?? server.signInUrl(ada)).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/10\.0\.0\.7 is private/) },
      });
      expect(sent.join()).not.toContain("10.0.0.7");
    },
  );

  it("F24 gets no request if its name leads inside", async () => {
    resolveNames({ "login.example.net": ["10.0.0.7"] });
    const auth = authServer({ issuer: LOGIN });
    const { server } = connect(auth);
    expect(await whyNot(server)).toMatch(/"https:\/\/login\.example\.net" is not.*10\.0\.0\.7 is private/);
    expect(auth.received).toEqual([]);
  });

  it("F24 is resolved again for each redirect", async () => {
    resolveNames({ "login.example.net": ["8.8.8.8", "10.0.0.7"] });
    const auth = authServer({ issuer: LOGIN });
    const { server } = connect(auth);
    auth.redirect(`${LOGIN}/.well-known/oauth-authorization-server`, `${LOGIN}/inside`);
    expect(await whyNot(server)).toMatch(/10\.0\.0\.7 is private/);
    expect(auth.received.join()).not.toContain("/inside");
  });

  it("F24 is not left by a redirect to another host", async () => {
    const auth = authServer({ issuer: LOGIN });
    const { server, sent } = connect(auth);
    auth.redirect(`${LOGIN}/.well-known/oauth-authorization-server`, "https://10.0.0.7/inside");
    await server.signInUrl(ada).catch(() => undefined);
    expect(sent.join()).not.toContain("10.0.0.7");
  });

  it("F24 gets requests over TLS only", async () => {
    const auth = authServer({ issuer: "http://login.example.net" });
    expect(await whyNot(connect(auth).server)).toMatch(
      /"http:\/\/login\.example\.net" must be an https address/,
    );
    expect(auth.received).toEqual([]);
  });

  it("F24 is no page for users without TLS", async () => {
    const auth = authServer({ metadata: { authorization_endpoint: "http://login.example.net/authorize" } });
    expect(await whyNot(connect(auth).server)).toMatch(/must be an https address/);
  });

  it.each(["https://accounts.example.org@login.example.net/authorize", "https://:x@login.example.net/a"])(
    "B9 F24 is no page for users with a name in front of its host: %s",
    async (authorization_endpoint) => {
      const auth = authServer({ metadata: { authorization_endpoint } });
      expect(await whyNot(connect(auth).server)).toMatch(/must not have a user name or password/);
    },
  );
});

describe("an address inside", () => {
  it("F24 is used if the app names it as `issuer`", async () => {
    resolveNames({ "login.example.net": ["10.0.0.7"] });
    const auth = authServer({ issuer: LOGIN });
    const oauth = { redirectUrl: "https://app.example.com/callback", store: () => signInStore(false) };
    const { server } = connect(auth, { oauth: { ...oauth, issuer: LOGIN } });
    expect(await server.signInUrl(ada)).toMatch(/^https:\/\/login\.example\.net\/authorize/);
  });

  it("F24 is not what networks without IPv4 reach the internet by", async () => {
    resolveNames({ "login.example.net": ["64:ff9b::808:808"] });
    const auth = authServer({ issuer: LOGIN });
    expect(await connect(auth).server.signInUrl(ada)).toMatch(/^https:\/\/login/);
  });

  it("F24 is used if the MCP server itself has this name", async () => {
    resolveNames({ "mcp.example.com": ["10.0.0.7"] });
    const auth = authServer();
    expect(await connect(auth).server.signInUrl(ada)).toMatch(/^https:\/\/mcp\.example\.com\/authorize/);
  });

  it("F24 of this machine is used without TLS if the MCP server is on this machine, too", async () => {
    const auth = authServer({ origin: "http://localhost:3000", issuer: "http://127.0.0.1:9000" });
    expect(await connect(auth).server.signInUrl(ada)).toMatch(/^http:\/\/127\.0\.0\.1:9000\/authorize/);
  });
});
