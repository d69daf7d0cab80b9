import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { type McpFailure, mcpServer, mcpTools } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";

const ada = { userId: "ada" };

/** A server and what it reports. `break` is called with each request to the authorization server's tokens. */
function connect(auth: ReturnType<typeof authServer>, tokens?: () => Response) {
  const fetcher = (async (input: string, init?: RequestInit) =>
    String(input).endsWith("/token") && tokens !== undefined
      ? tokens()
      : await auth.fetch(input, init)) as typeof fetch;
  const store = signInStore(false);
  const redirectUrl = "https://app.example.com/callback";
  const server = mcpServer({
    name: "mail",
    url: auth.url,
    fetch: fetcher,
    oauth: { redirectUrl, store: () => store },
  });
  const errors: string[] = [];
  mcpTools({
    servers: [server],
    onError: (name, error) => errors.push(`${name}: ${(error as Error).message}`),
  });
  return { server, errors };
}

const caught = async (work: Promise<unknown>): Promise<McpFailure> =>
  (await work.then(
    () => new Error("It did not fail."),
    (error: unknown) => error,
  )) as McpFailure;

describe("the answer of an authorization server that sends `iss`", () => {
  it("F24 signs the user in", async () => {
    const auth = authServer({ iss: true });
    const { server } = connect(auth);
    await server.finishSignIn(auth.visit(await server.signInUrl(ada), "ada"), ada);
    expect(await server.isSignedIn(ada)).toBe(true);
  });

  it.each([
    { said: "another one", iss: "https://evil.example.com" },
    { said: "none", iss: undefined },
  ])("F24 is refused with $said, before its code is used, and the developer reads why", async ({ iss }) => {
    const auth = authServer({ iss: true });
    const { server, errors } = connect(auth);
    const back = auth.visit(await server.signInUrl(ada), "ada");
    if (iss === undefined) back.delete("iss");
    else back.set("iss", iss);
    const failure = await caught(server.finishSignIn(back, ada));
    expect(failure.message).toBe('Signing in to "mail" failed.');
    expect((failure.cause as Error).message).toMatch(
      /^Issuer mismatch.*expected "https:\/\/mcp\.example\.com"/,
    );
    expect(errors).toEqual([expect.stringMatching(/^mail: .*The reason: Issuer mismatch/)]);
    expect(auth.grants).toEqual([]);
  });

  it("F24 is checked before its error is read", async () => {
    const auth = authServer({ iss: true });
    const { server, errors } = connect(auth);
    const state = new URL(await server.signInUrl(ada)).searchParams.get("state") ?? "";
    const given = { state, iss: "https://evil.example.com", error: "call_this_number" };
    await expect(server.finishSignIn(new URLSearchParams(given), ada)).rejects.toThrow(/failed/);
    expect(errors.join()).not.toContain("call_this_number");
  });
});

describe("why a sign-in failed", () => {
  it("F24 F17 is reported without the code, the verifier and the words of the server in what people read", async () => {
    const auth = authServer();
    const { server, errors } = connect(auth);
    const back = auth.visit(await server.signInUrl(ada), "ada");
    back.set("code", "code-wrong-0123456789");
    const failure = await caught(server.finishSignIn(back, ada));
    expect(failure.message).toBe('Signing in to "mail" failed.');
    expect(errors).toEqual(['mail: Signing in to "mail" failed. The reason: invalid_grant: No: …']);
  });

  it("F24 is reported if the user declined", async () => {
    const auth = authServer();
    const { server, errors } = connect(auth);
    const state = new URL(await server.signInUrl(ada)).searchParams.get("state") ?? "";
    const denied = new URLSearchParams({ state, error: "access_denied", error_description: "Not today." });
    const failure = await caught(server.finishSignIn(denied, ada));
    expect(failure.message).toBe('The user has not signed in to "mail".');
    expect(errors[0]).toMatch(/The reason: access_denied: Not today\.$/);
  });

  it("F24 is reported if the tokens cannot be refreshed", async () => {
    const auth = authServer();
    let isDown = false;
    const { server, errors } = connect(auth);
    const { server: other, errors: later } = connect(auth, () => {
      if (isDown) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
      return Response.json({
        access_token: "access-0123456789",
        refresh_token: "refresh-012",
        token_type: "b",
      });
    });
    await other.finishSignIn(auth.visit(await other.signInUrl(ada), "ada"), ada);
    isDown = true;
    const failure = await caught(other.listTools(ada));
    expect(failure).toMatchObject({ code: "mcp_unreachable" });
    expect(later[0]).toMatch(/refreshed now.*The reason: fetch failed Cause: connect ECONNREFUSED$/);
    expect([errors, await server.isSignedIn(ada)]).toEqual([[], false]);
  });

  it("F24 is a warning on the console without `onError`", async () => {
    const auth = authServer();
    const { server } = connect(auth);
    const other = mcpServer({
      name: "calendar",
      url: auth.url,
      fetch: (async () => new Response(null, { status: 500 })) as typeof fetch,
      oauth: { redirectUrl: "https://app.example.com/callback", store: () => signInStore(false) },
    });
    mcpTools({ servers: [other] });
    expectPrinted(/Pawl: the MCP server "calendar": Signing in to "calendar" failed\. The reason: HTTP 500/);
    await expect(other.signInUrl(ada)).rejects.toThrow(/failed/);
    await server.close();
  });
});
