import { memoryStore, type Question } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { objectIn } from "../src/base/json.ts";
import { type McpOAuthOptions, mcpServer } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";
import { calls, resultOf, world } from "./support/world.ts";

const ada = { userId: "u1" };

type Auth = ReturnType<typeof authServer>;

const connect = (auth: Auth, store = signInStore(false), oauth: Partial<McpOAuthOptions> = {}) =>
  mcpServer({
    name: "test",
    url: auth.url,
    fetch: auth.fetch,
    oauth: { redirectUrl: "https://app.example.com/callback", store: () => store, ...oauth },
  });

type Server = ReturnType<typeof connect>;

const scopesIn = (url: string): string[] => new URL(url).searchParams.get("scope")?.split(" ") ?? [];

const urlOf = ([question]: readonly Question[]): string => objectIn(question?.payload).url as string;

/** The user signs in, and grants what is asked for. Returns that. */
async function signIn(auth: Auth, server: Server, url?: string): Promise<string[]> {
  const address = url ?? (await server.signInUrl(ada));
  await server.finishSignIn(auth.visit(address, "u1"), ada);
  return scopesIn(address);
}

describe("the scope of a request that a server refuses", () => {
  it("F24 with 401 is asked for when the user signs in", async () => {
    const auth = authServer();
    auth.need("mail.read");
    const server = connect(auth);
    const one = world(
      [server],
      [{ tools: [{ name: "mcp__test__sign_in", id: "c1", input: {} }] }, { text: "Ok." }],
    );
    const { sessionId, pending } = await one.say("Go");
    expect(await signIn(auth, server, urlOf(pending))).toEqual(["mail.read"]);
    await one.answer(sessionId, true);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 with 403 is asked for beside those that the user has granted", async () => {
    const auth = authServer();
    auth.need("mail.read");
    const server = connect(auth);
    await server.listTools(ada).catch(() => undefined);
    expect(await signIn(auth, server)).toEqual(["mail.read"]);
    auth.need("mail.list");
    await expect(server.listTools(ada)).rejects.toMatchObject({
      code: "mcp_unauthorized",
      message: expect.stringMatching(/403.*the scope "mail\.list", which the user has not granted/),
    });
    expect(await signIn(auth, server)).toEqual(["mail.read", "mail.list"]);
    expect(await server.listTools(ada)).toHaveLength(2);
  });

  it("F24 is asked for beside those of the app", async () => {
    const auth = authServer();
    auth.need("mail.read");
    const server = connect(auth, signInStore(false), { scope: "profile" });
    await server.listTools(ada).catch(() => undefined);
    expect(await signIn(auth, server)).toEqual(["profile", "mail.read"]);
  });

  it("F24 is kept only if it is one, and of a hundred at most", async () => {
    const auth = authServer();
    auth.need(`mail.read é ${Array.from({ length: 200 }, (_, n) => `s${n}`).join(" ")} ${"x".repeat(300)}`);
    const server = connect(auth);
    await server.listTools(ada).catch(() => undefined);
    const asked = scopesIn(await server.signInUrl(ada));
    expect(asked).toHaveLength(100);
    expect(asked.slice(0, 2)).toEqual(["mail.read", "s0"]);
  });

  it("F24 is not asked for any more after the user has signed out", async () => {
    const auth = authServer();
    auth.need("mail.read");
    const server = connect(auth);
    await server.listTools(ada).catch(() => undefined);
    await server.signOut(ada);
    expect(scopesIn(await server.signInUrl(ada))).toEqual([]);
  });
});

/** A user who has signed in and said hello, and a call that wants more than was granted. */
async function withCall(
  script: readonly Reply[] = calls("read"),
  auth = authServer({ supported: ["mail.list", "profile"] }),
) {
  const store = signInStore(false);
  const server = connect(auth, store);
  await signIn(auth, server);
  auth.need("mail.list");
  const log = memoryStore();
  const one = world([server], [{ text: "Hi." }, ...script], { store: log });
  const { sessionId } = await one.say("Hi");
  auth.need("mail.read", "read");
  return { auth, store, server, one, log, sessionId };
}

describe("a call that wants more rights", () => {
  it("F24 P1 becomes the user's question, and any process continues with the new token", async () => {
    const { auth, store, one, log, sessionId } = await withCall();
    const { pending } = await one.say("Read", { sessionId });
    expect(pending).toMatchObject([{ kind: "sign_in", payload: { connector: "mcp::test" } }]);
    const other = connect(auth, store);
    expect(await signIn(auth, other, urlOf(pending))).toEqual(["mail.list", "profile", "mail.read"]);
    const second = world([other], calls("read").slice(1), { store: log });
    await second.answer(sessionId, true);
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true });
    expect(auth.calls).toEqual(["u1"]);
  });

  it("F24 P1 goes on in the process that asked, which knows the token from before", async () => {
    const { auth, server, one, sessionId } = await withCall();
    const { pending } = await one.say("Read", { sessionId });
    await signIn(auth, server, urlOf(pending));
    await one.answer(sessionId, true);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(auth.calls).toEqual(["u1"]);
  });

  it("F24 asks once: a server that then wants more gets a clear error", async () => {
    const { auth, server, one, sessionId } = await withCall();
    const { pending } = await one.say("Read", { sessionId });
    await signIn(auth, server, urlOf(pending));
    auth.need("mail.more", "read");
    const after = await one.answer(sessionId, true);
    expect(after.pending).toEqual([]);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/403.*"mail\.list mail\.more", which the user has not granted/),
      report: { code: "mcp_unauthorized" },
    });
    expect(await one.of(sessionId, "tool_suspended")).toHaveLength(1);
  });

  it("F24 asks once also if the server has asked something else since", async () => {
    const { auth, server, one, sessionId } = await withCall(calls("ask"));
    auth.need("mail.ask", "ask");
    const first = await one.say("Ask", { sessionId });
    await signIn(auth, server, urlOf(first.pending));
    const second = await one.answer(sessionId, true);
    expect(second.pending).toMatchObject([{ kind: "elicitation" }]);
    auth.need("mail.more", "ask");
    const third = await one.answer(sessionId, { action: "accept", content: { ok: true } });
    expect(third.pending).toEqual([]);
    expect(await resultOf(one, sessionId)).toMatchObject({ report: { code: "mcp_unauthorized" } });
  });

  it("F24 asks although the user had to sign in for this call", async () => {
    const { auth, server, one, sessionId } = await withCall();
    auth.signOut("u1");
    const first = await one.say("Read", { sessionId });
    // The server names the scope of this call only after it knows the user.
    await server.finishSignIn(narrowed(auth, urlOf(first.pending)), ada);
    const second = await one.answer(sessionId, true);
    expect(second.pending).toMatchObject([{ kind: "sign_in" }]);
    await signIn(auth, server, urlOf(second.pending));
    await one.answer(sessionId, true);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 does not ask if the user has granted it in another process meanwhile", async () => {
    const { auth, store, one, sessionId } = await withCall();
    const other = connect(auth, store, { scope: "mail.list mail.read" });
    await signIn(auth, other);
    expect((await one.say("Read", { sessionId })).pending).toEqual([]);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 fails if the token has what the server wants, and does not ask", async () => {
    const { auth, one, sessionId } = await withCall();
    auth.need("mail.list", "read");
    auth.refuseAll();
    expect((await one.say("Read", { sessionId })).pending).toEqual([]);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/refused the request \(403\)/),
      report: { code: "mcp_refused" },
    });
  });

  it("F24 that the user declines fails", async () => {
    const { one, sessionId } = await withCall();
    await one.say("Read", { sessionId });
    await one.answer(sessionId, false);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/does not want to sign in/),
    });
  });
});

/** The answer of a user who grants only `mail.list`. */
function narrowed(auth: Auth, url: string): URLSearchParams {
  const address = new URL(url);
  address.searchParams.set("scope", "mail.list");
  return auth.visit(address.href, "u1");
}

it.each([true, false])(
  "F24 scopes that were granted are asked for again, whether or not the server names them (%s)",
  async (namesScope) => {
    const auth = authServer({ namesScope, supported: ["mail.list", "profile"] });
    const { server, one, sessionId } = await withCall(undefined, auth);
    auth.expire();
    await server.listTools(ada);
    const { pending } = await one.say("Read", { sessionId });
    expect(scopesIn(urlOf(pending)).sort()).toEqual(["mail.list", "mail.read", "profile"]);
  },
);

it("F24 a sign-in that has begun without the scope does not do, and its address still works", async () => {
  const { auth, server, one, sessionId } = await withCall();
  const before = await server.signInUrl(ada);
  const { pending } = await one.say("Read", { sessionId });
  expect(urlOf(pending)).not.toBe(before);
  expect(await server.signInUrl(ada)).toBe(urlOf(pending));
  await signIn(auth, server, before);
  expect(await server.isSignedIn(ada)).toBe(true);
});
