import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type McpOAuthOptions, mcpServer } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";
import { resolveNames } from "./support/names.ts";

beforeEach(() => resolveNames());
afterEach(() => vi.restoreAllMocks());

const ada = { userId: "ada" };
const HONEST = "https://honest.example.com";
const OTHER = "https://other.example.com";
const SECRET = "client-secret-0123456789abcdef";

/** A server whose users sign in at an authorization server of its own, and the clock of its client. */
function moving(
  oauth: Partial<McpOAuthOptions> = {},
  clients: Record<string, string> = {},
  auth = authServer({ issuer: HONEST, clients }),
) {
  const store = signInStore(false);
  let time = Date.UTC(2026, 0, 1);
  const server = mcpServer({
    name: "mail",
    url: auth.url,
    fetch: auth.fetch,
    now: () => time,
    oauth: { redirectUrl: "https://app.example.com/callback", store: () => store, ...oauth },
  });
  return {
    auth,
    server,
    store,
    /** Lets so much time pass that the next sign-in has an address of its own. */
    later: () => {
      time += 660_000;
    },
    signIn: async (at: Pick<typeof auth, "visit"> = auth) =>
      await server.finishSignIn(at.visit(await server.signInUrl(ada), "ada"), ada),
  };
}

describe("the authorization server that a secret is for", () => {
  it("F24 F17 no client secret goes to another one: the sign-in is refused, and nothing is sent there", async () => {
    const { auth, server } = moving(
      { clientId: "our-app", clientSecret: SECRET, issuer: HONEST },
      { "our-app": SECRET },
    );
    const errors: string[] = [];
    server.onSignInError(({ message }) => errors.push(message));
    const evil = auth.moveTo(OTHER, { clients: { "our-app": SECRET } });
    await expect(server.signInUrl(ada)).rejects.toThrow('Signing in to "mail" failed.');
    expect(evil.received).toEqual([]);
    expect(errors[0]).toMatch(/names the authorization server "https:\/\/other.*`issuer` of `oauth`/);
  });

  it("F24 is the one that the app names, if the server names several", async () => {
    const { auth, server, signIn } = moving(
      { clientId: "our-app", clientSecret: SECRET, issuer: `${HONEST}/` },
      { "our-app": SECRET },
    );
    auth.nameFirst(OTHER);
    await signIn();
    expect(await server.isSignedIn(ada)).toBe(true);
  });

  it("F24 F17 a code and its verifier go to no other one, although the server names it by now", async () => {
    const { auth, server, later } = moving();
    const begun = auth.visit(await server.signInUrl(ada), "ada");
    const evil = auth.moveTo(OTHER);
    later();
    await server.signInUrl(ada);
    await expect(server.finishSignIn(begun, ada)).rejects.toThrow(/has changed since this sign-in began/);
    expect(evil.received.filter((one) => one.includes("/token"))).toEqual([]);
  });

  it("F24 F17 a refresh token goes to no other one", async () => {
    const { auth, server, signIn } = moving();
    await signIn();
    const evil = auth.moveTo(OTHER);
    await server.signInUrl(ada);
    await expect(server.listTools(ada)).rejects.toMatchObject({ code: "mcp_unauthorized" });
    expect(evil.received.join()).not.toContain("refresh_token=");
  });

  it("F24 F17 a client that the app has registered elsewhere since is not used to refresh tokens", async () => {
    const { auth, store, signIn } = moving();
    await signIn();
    auth.expire();
    const oauth = { clientId: "our-app", clientSecret: SECRET, issuer: OTHER, store: () => store };
    const { server } = moving(oauth, {}, auth);
    await expect(server.listTools(ada)).rejects.toMatchObject({ code: "mcp_unauthorized" });
    expect(auth.received.join()).not.toContain(btoa(`our-app:${SECRET}`));
  });

  it("F24 F17 tokens are not refreshed at one that the app does not expect any more", async () => {
    const { auth, store, signIn } = moving();
    await signIn();
    auth.expire();
    const { server } = moving({ issuer: OTHER, store: () => store }, {}, auth);
    await expect(server.listTools(ada)).rejects.toMatchObject({ code: "mcp_unauthorized" });
    expect(auth.grants).toEqual(["authorization_code"]);
  });

  it("F24 that is a new one registers the app anew, and the user signs in there", async () => {
    const { auth, server, signIn } = moving();
    await signIn();
    const other = auth.moveTo(OTHER);
    await expect(server.listTools(ada)).rejects.toMatchObject({ code: "mcp_unauthorized" });
    await signIn(other);
    expect(other.clients()).toEqual([`app-1 of ${OTHER}`]);
    expect((await server.listTools(ada)).map(({ name }) => name)).toEqual(["ask", "read"]);
    expect(auth.received.filter((one) => one.startsWith("POST /register"))).toHaveLength(1);
  });

  it("F24 that cannot be used leaves the sign-in of before as it was", async () => {
    const { auth, server, signIn } = moving();
    await signIn();
    auth.moveTo(OTHER, { metadata: { registration_endpoint: `${OTHER}/nowhere` } });
    await expect(server.signInUrl(ada)).rejects.toThrow(/failed/);
    auth.moveTo(HONEST);
    auth.expire();
    expect(await server.listTools(ada)).toHaveLength(2);
  });

  it("F24 T14 must be named beside a client that was registered by hand", () => {
    const made = (oauth: Partial<McpOAuthOptions>) => () => moving(oauth);
    expect(made({ clientId: "our-app" })).toThrow(/needs `issuer` beside `clientId`/);
    expect(made({ clientSecret: SECRET, issuer: HONEST })).toThrow(/needs the `clientId`/);
    expect(made({ issuer: "honest" })).toThrow(/`issuer`.*a URL/);
  });
});

it("F24 a client that was registered by hand signs in without a warning of the SDK", async () => {
  const { server, signIn, store } = moving(
    { clientId: "our-app", clientSecret: SECRET, issuer: HONEST },
    { "our-app": SECRET },
  );
  // A warning on the console would fail this test.
  await signIn();
  expect(await server.listTools(ada)).toHaveLength(2);
  expect([...store.kept.values()].join()).not.toContain(SECRET);
});
