import { memoryStore, type Question, type RunOptions } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { objectIn } from "../src/base/json.ts";
import { type McpServerOptions, mcpServer } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";
import { calls, resultOf, world } from "./support/world.ts";

afterEach(() => vi.restoreAllMocks());

type Auth = ReturnType<typeof authServer>;

/** The server as one process of the app sees it. */
const connect = (
  auth: Auth,
  store: ReturnType<typeof signInStore>,
  more: Partial<McpServerOptions<unknown>> = {},
) =>
  mcpServer({
    name: "test",
    url: auth.url,
    fetch: auth.fetch,
    oauth: { redirectUrl: "https://app.example.com/callback", store: () => store, clientName: "App" },
    ...more,
  });

const ask: Reply[] = [
  { tools: [{ name: "mcp__test__sign_in", id: "c1", input: {} }] },
  { text: "Ok." },
  { tools: [{ name: "mcp__test__read", id: "c2", input: {} }] },
  { text: "Here." },
];

const ada = { userId: "u1" };

const urlOf = ([question]: readonly Question[]): string => objectIn(question?.payload).url as string;

/** Signs a user in, as a button on a settings page would. */
async function signIn(auth: Auth, server: ReturnType<typeof connect>, userId: string) {
  const url = await server.signInUrl({ userId });
  await server.finishSignIn(auth.visit(url, userId), { userId });
}

describe("a server to which users sign in", () => {
  it("F24 P1 asks a user who is not signed in, and the answer comes from the callback, in any process", async () => {
    const auth = authServer();
    const store = signInStore(false);
    const log = memoryStore();
    const first = world([connect(auth, store)], ask, { store: log });
    const { sessionId, pending } = await first.say("Go");
    expect(first.errors).toEqual([]);
    expect(first.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["mcp__test__sign_in"]);
    expect(pending).toMatchObject([{ kind: "sign_in", payload: { connector: "mcp::test" } }]);
    const url = urlOf(pending);
    expect(url).toMatch(/^https:\/\/mcp\.example\.com\/authorize\?.*code_challenge_method=S256/);
    const server = connect(auth, store);
    const second = world([server], ask.slice(1), { store: log });
    const waiting = await server.finishSignIn(auth.visit(url, "u1"), ada);
    expect(waiting).toEqual([{ sessionId, callId: "c1" }]);
    await second.answer(sessionId, true);
    expect(await resultOf(second, sessionId)).toMatchObject({
      success: true,
      result: expect.stringMatching(/signed in/),
    });
    await second.say("Read", { sessionId });
    expect(second.model.requests.at(-1)?.tools?.map(({ name }) => name)).toEqual([
      "mcp__test__ask",
      "mcp__test__read",
      "mcp__test__sign_in",
    ]);
    expect(auth.calls).toEqual(["u1"]);
    expect(second.model.rejected).toEqual([]);
  });

  it("F24 P1 asks in the middle of a call whose user has been signed out, and the call goes on", async () => {
    const auth = authServer();
    const store = signInStore(false);
    const server = connect(auth, store);
    await signIn(auth, server, "u1");
    const one = world([server], [{ text: "Hi." }, ...calls("read")]);
    const { sessionId } = await one.say("Hi");
    auth.signOut("u1");
    const { pending } = await one.say("Read", { sessionId });
    expect(pending).toMatchObject([{ kind: "sign_in", toolName: "mcp__test__read" }]);
    const url = urlOf(pending);
    await server.finishSignIn(auth.visit(url, "u1"), ada);
    await one.answer(sessionId, true);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 P1 keeps an answer for which the user had to sign in first", async () => {
    const auth = authServer();
    const server = connect(auth, signInStore(false));
    await signIn(auth, server, "u1");
    const one = world([server], calls("ask"));
    const { sessionId, pending } = await one.say("Go");
    expect(pending).toMatchObject([{ kind: "elicitation" }]);
    auth.signOut("u1");
    const yes = { action: "accept", content: { ok: true } };
    const asked = await one.answer(sessionId, yes);
    expect(asked.pending).toMatchObject([{ kind: "sign_in" }]);
    await server.finishSignIn(auth.visit(urlOf(asked.pending), "u1"), ada);
    expect((await one.answer(sessionId, true)).pending).toEqual([]);
    expect(auth.calls).toEqual(["asked", JSON.stringify({ q: yes })]);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 P1 signOut() ends the use of the token at once: the next call asks to sign in, also as somebody else", async () => {
    const auth = authServer();
    const server = connect(auth, signInStore(false));
    await signIn(auth, server, "u1");
    const script = ["c1", "c2"].flatMap((id) => [
      { tools: [{ name: "mcp__test__read", id, input: {} }] },
      { text: "Here." },
    ]);
    const one = world([server], script);
    const { sessionId } = await one.say("Read");
    expect(auth.calls).toEqual(["u1"]);
    await server.signOut(ada);
    expect(await server.isSignedIn(ada)).toBe(false);
    const { pending } = await one.say("Read again", { sessionId });
    expect(pending).toMatchObject([{ kind: "sign_in", toolName: "mcp__test__read" }]);
    expect(auth.calls).toEqual(["u1"]);
    await server.finishSignIn(auth.visit(urlOf(pending), "another account"), ada);
    const value = true as never;
    await one.pawl.run("tester", { userId: "u1", sessionId, answers: [{ callId: "c2", value }] }).result;
    expect(auth.calls).toEqual(["u1", "another account"]);
  });

  it("F24 P1 a sign-in with another account is used by the next call, although the token before is still valid", async () => {
    const auth = authServer();
    const server = connect(auth, signInStore(false));
    const one = world([server], [...calls("read").slice(0, 2), ...calls("read").slice(0, 2)]);
    for (const account of ["u1", "u1 at work"]) {
      await server.finishSignIn(auth.visit(await server.signInUrl(ada), account), ada);
      await one.say("Read");
    }
    expect(auth.calls).toEqual(["u1", "u1 at work"]);
  });

  it("F24 P1 signOut() in another process ends the use of the token within a minute, and a store that is down does not", async () => {
    const auth = authServer();
    const store = signInStore(false);
    let now = 1_000_000;
    const server = connect(auth, store, { now: () => now, listTtlMs: 1e9 });
    await signIn(auth, server, "u1");
    const read = calls("read").slice(0, 2);
    const one = world([server], [...read, ...read, ...read]);
    await one.say("Read");
    now += 61_000;
    const load = vi.spyOn(store, "load").mockRejectedValue(new Error("The store is down."));
    await one.say("Read");
    expect(load).toHaveBeenCalled();
    load.mockRestore();
    expect(auth.calls).toEqual(["u1", "u1"]);
    await connect(auth, store).signOut(ada);
    now += 61_000;
    expect((await one.say("Read")).pending).toMatchObject([{ kind: "sign_in" }]);
    expect(auth.calls).toEqual(["u1", "u1"]);
  });

  it.each([
    { answer: false, result: /does not want to sign in/ },
    { answer: true, result: /sign in there again/ },
  ])("F24 fails the call if the user answers $answer without signing in", async ({ answer, result }) => {
    const auth = authServer();
    const one = world([connect(auth, signInStore(false))], ask);
    const { sessionId } = await one.say("Go");
    await one.answer(sessionId, answer);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(result),
      report: { code: "mcp_unauthorized" },
    });
  });

  it("F24 E11 takes a sign-in only from the user who began it, once, and with its state", async () => {
    const auth = authServer();
    const store = signInStore(false);
    const server = connect(auth, store);
    const url = await server.signInUrl(ada);
    const back = auth.visit(url, "u1");
    await expect(server.finishSignIn(back, { userId: "bob" })).rejects.toThrow(/not known/);
    const other = new URLSearchParams(back);
    other.set("state", "x");
    await expect(server.finishSignIn(other, ada)).rejects.toThrow(/not known/);
    const mixedUp = new URLSearchParams(back);
    mixedUp.set("iss", "https://evil.example.com");
    await expect(server.finishSignIn(mixedUp, ada)).rejects.toThrow(/failed/);
    const denied = new URLSearchParams({ error: "access_denied", state: back.get("state") ?? "" });
    await expect(server.finishSignIn(denied, ada)).rejects.toThrow(/has not signed in/);
    await server.finishSignIn(back, ada);
    await expect(server.finishSignIn(back, ada)).rejects.toThrow(/not known/);
    expect(await server.isSignedIn(ada)).toBe(true);
    expect(await server.isSignedIn({ userId: "bob" })).toBe(false);
    await server.signOut(ada);
    expect(await server.isSignedIn(ada)).toBe(false);
  });

  it("F24 gives calls that wait together one address, and names them all when it is used", async () => {
    const auth = authServer();
    const server = connect(auth, signInStore(false));
    const two = [1, 2].map(() => world([server], ask));
    const asked = await Promise.all(two.map((one) => one.say("Go")));
    const urls = asked.map(({ pending }) => urlOf(pending));
    expect(new Set(urls).size).toBe(1);
    const waiting = await server.finishSignIn(auth.visit(urls[0] ?? "", "u1"), ada);
    expect(waiting.map(({ sessionId }) => sessionId).sort()).toEqual(
      asked.map(({ sessionId }) => sessionId).sort(),
    );
  });

  it("F24 P1 takes the address of an older question, although a later call has begun a new sign-in", async () => {
    const auth = authServer();
    let time = Date.UTC(2026, 0, 1);
    const server = connect(auth, signInStore(false), { now: () => time });
    const asked = [];
    for (let day = 0; day < 3; day += 1) {
      const one = world([server], ask);
      asked.push({ one, ...(await one.say("Go")) });
      time += 86_400_000;
    }
    const urls = asked.map(({ pending }) => urlOf(pending));
    expect(new Set(urls).size).toBe(3);
    const back = auth.visit(urls[0] ?? "", "u1");
    const waiting = await server.finishSignIn(back, ada);
    expect(waiting.map(({ sessionId }) => sessionId)).toEqual(asked.map(({ sessionId }) => sessionId));
    expect(await server.isSignedIn(ada)).toBe(true);
    await expect(server.finishSignIn(auth.visit(urls[2] ?? "", "u1"), ada)).rejects.toThrow(/not known/);
    for (const { one, sessionId } of asked) await one.answer(sessionId, true);
    expect(asked.flatMap(({ one }) => one.errors)).toEqual([]);
  });

  it("F24 F17 uses each user's own token, also if both call at once", async () => {
    const auth = authServer();
    const server = connect(auth, signInStore(false));
    await signIn(auth, server, "ada");
    await signIn(auth, server, "bob");
    const one = world([server], [...calls("read").slice(0, 2), ...calls("read").slice(0, 2)]);
    const as = (userId: string): Partial<RunOptions> => ({ userId });
    const [first, second] = await Promise.all([one.say("Go", as("ada")), one.say("Go", as("bob"))]);
    expect(JSON.stringify(await one.log(first.sessionId))).toContain("mail of ada");
    expect(JSON.stringify(await one.log(second.sessionId))).toContain("mail of bob");
  });
});

describe("the refresh of a user's tokens", () => {
  const three: Reply[] = [
    { text: "Hi." },
    { tools: [1, 2, 3].map((n) => ({ name: "mcp__test__read", id: `c${n}`, input: { n } })) },
    { text: "Ok." },
  ];

  it("F24 happens once in a process for all calls of a user", async () => {
    const auth = authServer();
    auth.setRefreshDelay(30);
    const server = connect(auth, signInStore(false));
    await signIn(auth, server, "u1");
    const one = world([server], three);
    const { sessionId } = await one.say("Hi");
    auth.expire();
    await one.say("Read", { sessionId });
    expect(auth.grants).toEqual(["authorization_code", "refresh_token"]);
    const results = await one.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.success)).toEqual([true, true, true]);
    expect(auth.calls).toHaveLength(3);
  });

  it("F24 happens once for two processes whose store has a lock", async () => {
    const auth = authServer();
    auth.setRefreshDelay(30);
    const store = signInStore(true);
    const servers = [connect(auth, store), connect(auth, store)];
    await signIn(auth, servers[0] as never, "u1");
    const worlds = servers.map((server) => world([server], [{ text: "Hi." }, ...calls("read")]));
    const before = await Promise.all(worlds.map((one) => one.say("Hi")));
    auth.expire();
    await Promise.all(worlds.map((one, n) => one.say("Read", { sessionId: before[n]?.sessionId ?? "" })));
    expect(auth.grants).toEqual(["authorization_code", "refresh_token"]);
    for (const [n, one] of worlds.entries())
      expect(await resultOf(one, before[n]?.sessionId ?? "")).toMatchObject({ success: true });
  });

  it("F24 of two processes without a lock asks the user again at worst", async () => {
    const auth = authServer();
    auth.setRefreshDelay(30);
    const store = signInStore(false);
    const servers = [connect(auth, store), connect(auth, store)];
    await signIn(auth, servers[0] as never, "u1");
    const worlds = servers.map((server) => world([server], [{ text: "Hi." }, ...calls("read")]));
    const before = await Promise.all(worlds.map((one) => one.say("Hi")));
    auth.expire();
    const after = await Promise.all(
      worlds.map((one, n) => one.say("Read", { sessionId: before[n]?.sessionId ?? "" })),
    );
    for (const { pending, stop } of after)
      expect(stop.type === "end_turn" || pending[0]?.kind === "sign_in").toBe(true);
  });

  it("F24 that fails for a moment fails the call, which was not sent, and keeps the sign-in", async () => {
    const auth = authServer();
    let isDown = false;
    const fetcher = (async (input: string, init?: RequestInit) =>
      isDown && String(input).endsWith("/token")
        ? new Response("down", { status: 503 })
        : await auth.fetch(input, init)) as typeof fetch;
    const server = connect(auth, signInStore(false), { fetch: fetcher });
    await signIn(auth, server, "u1");
    const one = world([server], [{ text: "Hi." }, ...calls("read")]);
    const { sessionId } = await one.say("Hi");
    auth.expire();
    isDown = true;
    await one.say("Read", { sessionId });
    expect(await resultOf(one, sessionId)).toMatchObject({ report: { code: "mcp_unreachable" } });
    expect(await server.isSignedIn(ada)).toBe(true);
  });
});

const read = (id: string): Reply[] => [
  { tools: [{ name: "mcp__test__read", id, input: {} }] },
  { text: "Ok." },
];

it("F24 F17 no token, code or secret of a sign-in is in a log, an error or the console", async () => {
  const said: unknown[] = [];
  for (const level of ["log", "warn", "error", "info", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...args) => void said.push(...args));
  const auth = authServer();
  const store = signInStore(false);
  const server = connect(auth, store);
  const url = await server.signInUrl(ada);
  const back = auth.visit(url, "u1");
  const wrong = new URLSearchParams(back);
  wrong.set("code", "code-wrong-0123456789");
  const errors: unknown[] = [await server.finishSignIn(wrong, ada).catch((error: unknown) => error)];
  await server.finishSignIn(back, ada);
  const one = world([server], [{ text: "Hi." }, ...read("c1"), ...read("c2")]);
  const { sessionId } = await one.say("Hi");
  auth.expire();
  await one.say("Read", { sessionId });
  auth.signOut("u1");
  await one.say("Read", { sessionId });
  errors.push(...one.errors);
  const seen = [
    JSON.stringify(await one.log(sessionId)),
    ...errors.map((error) => `${error} ${(error as Error).stack} ${JSON.stringify(error)}`),
    ...said.map(String),
  ].join("\n");
  expect(auth.grants).toEqual(["authorization_code", "authorization_code", "refresh_token", "refresh_token"]);
  for (const secret of [...auth.secrets, "code-wrong-0123456789"]) expect(seen).not.toContain(secret);
  expect(seen).toContain("mail of u1 Bearer …");
});

it("T14 F24 wrong options of a sign-in are refused by name", async () => {
  const store = () => signInStore(false);
  const made =
    (oauth: object, more: object = {}) =>
    () =>
      mcpServer({ name: "a", url: "https://x", oauth: oauth as never, ...more });
  expect(made({ store })).toThrow(/redirectUrl/);
  expect(made({ redirectUrl: "https://app" })).toThrow(/store/);
  expect(made({ redirectUrl: "https://app", store, secret: "x" })).toThrow(/secret/);
  expect(made({ redirectUrl: "https://app", store }, { token: () => "x" })).toThrow(/token/);
  expect(() => mcpServer({ name: "a", command: "x", oauth: {} as never })).toThrow(/`oauth`/);
  const none = mcpServer({ name: "a", url: "https://x" });
  await expect(none.signInUrl(ada)).rejects.toThrow(/no `oauth`/);
});
