import { PawlError } from "@pawl/core";
import { type SupabaseAuthOptions, supabaseAuth } from "@pawl/supabase";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, exportSPKI, generateKeyPair } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AuthServer, authServer, HS_SECRET, json, USER } from "./support/auth-server.ts";

let server: AuthServer;
beforeEach(async () => {
  server = await authServer();
});
afterEach(async () => await server.close());

const alone = { auth: { persistSession: false, autoRefreshToken: false } };

function authenticator(options: Partial<SupabaseAuthOptions> = {}) {
  return supabaseAuth({
    client: createClient(server.url, "sb_publishable_key", alone),
    url: server.url,
    ...options,
  });
}

function asking(authorization?: string): Request {
  return new Request(
    "http://app.example/runs",
    authorization === undefined ? {} : { headers: { authorization } },
  );
}

/** The status and challenge with which a token is refused; nothing that is told may contain it. */
async function refused(token: string, options?: Partial<SupabaseAuthOptions>): Promise<string> {
  const response = await authenticator(options)(asking(`Bearer ${token}`));
  if (!(response instanceof Response)) throw new Error("It was accepted.");
  const told = `${[...response.headers].join()} ${await response.text()}`;
  for (const part of token.split(".").filter((one) => one.length > 8)) expect(told).not.toContain(part);
  expect(response.status).toBe(401);
  return response.headers.get("www-authenticate") ?? "";
}

/** Rejects as an outage, without the token. */
async function outage(token: string, options?: Partial<SupabaseAuthOptions>): Promise<void> {
  const error = await authenticator(options)(asking(`Bearer ${token}`)).catch((thrown: unknown) => thrown);
  expect(PawlError.is(error, "store_unavailable"), String(error)).toBe(true);
  const { message, details, cause } = error as PawlError;
  expect(`${message} ${JSON.stringify(details)} ${String(cause)}`).not.toContain(token.slice(-20));
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (more: number) => Math.floor(Date.now() / 1000) + more;

describe("E11 X2 supabaseAuth accepts", () => {
  it.each([
    ["a token signed with ES256", () => server.sign()],
    ["one with RS256", () => server.sign({}, { alg: "RS256", kid: "rs", key: server.keys.rs })],
    ["one with the project's secret", () => server.sign({}, { alg: "HS256", kid: "", key: HS_SECRET })],
    ["one of several audiences", () => server.sign({ aud: ["x", "authenticated"] })],
    ["one that has just begun", () => server.sign({ nbf: seconds(-1) })],
    ["one of somebody without an account", () => server.sign({ is_anonymous: true })],
  ])("%s", async (_, token) => {
    const caller = await authenticator()(asking(`Bearer ${await token()}`));
    expect(caller).toMatchObject({ userId: USER, claims: { role: "authenticated" } });
  });

  it("X2 only tokens with the application's algorithms, without a request about others", async () => {
    const options: Partial<SupabaseAuthOptions> = { algorithms: ["ES256"] };
    expect(await authenticator(options)(asking(`Bearer ${await server.sign()}`))).toMatchObject({
      userId: USER,
    });
    server.fault = () => expect.unreachable("The server was asked.");
    const others = [
      await server.sign({}, { alg: "HS256", kid: "", key: HS_SECRET }),
      await server.sign({}, { alg: "RS256", kid: "rs", key: server.keys.rs }),
    ];
    for (const token of others) expect(await refused(token, options)).toContain("invalid_token");
  });

  it.each([[], ["none"], ["ES256", "es256"], "ES256", null])("X2 refuses %j as algorithms", (algorithms) => {
    const options = { algorithms } as unknown as Partial<SupabaseAuthOptions>;
    expect(() => authenticator(options)).toThrow(expect.objectContaining({ code: "config" }));
  });

  it("the scheme in any case, and a URL with a slash at its end", async () => {
    const authenticate = authenticator({ url: `${server.url}/` });
    expect(await authenticate(asking(`bEARER  ${await server.sign()}`))).toMatchObject({ userId: USER });
  });

  it("another issuer and audience if they are set", async () => {
    const options = { issuer: "https://auth.example", audience: "coach" };
    const token = await server.sign({ iss: "https://auth.example", aud: "coach" });
    expect(await authenticator(options)(asking(`Bearer ${token}`))).toMatchObject({ userId: USER });
    expect(await refused(await server.sign(), options)).toContain("another issuer");
  });
});

describe("E11 X2 supabaseAuth answers 401", () => {
  it.each([undefined, "Basic YTpi", "sb_publishable_key"])("to %j with a bare challenge", async (header) => {
    const response = (await authenticator()(asking(header))) as Response;
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({ error: { code: "unauthorized", message: "Please sign in." } });
  });

  it.each([
    ["nothing", ""],
    ["garbage", "garbage"],
    ["two parts", "YWJjZA.YWJjZA"],
    ["no JSON", "YWJjZA.YWJjZA.YWJjZA"],
    ["no objects", `${encode(null)}.${encode([])}.YWJjZA`],
    ["no UTF-8", "_____w._____w.YWJjZA"],
    ["two tokens", "a.b.c, Bearer a.b.c"],
    ["a secret key", "sb_secret_0123456789"],
    ["an endless token", `${"a".repeat(5_000)}.${"b".repeat(5_000)}.c`],
  ])("to %s", async (_, token) => {
    expect(await refused(token)).toContain('error="invalid_token", error_description="This is not a token."');
    expect(server.count("jwks") + server.count("user")).toBe(0);
  });

  it.each([
    ["an expired one", { exp: seconds(-1) }, "The token has expired."],
    ["one that never expires", { exp: undefined }, "when it expires"],
    ["one that is not valid yet", { nbf: seconds(60) }, "not valid yet"],
    ["one of another project", { iss: "https://other.supabase.co/auth/v1" }, "another issuer"],
    ["one of nobody", { iss: undefined }, "another issuer"],
    ["another audience", { aud: "somebody" }, "another audience"],
    ["no audience", { aud: undefined }, "another audience"],
    ["the anonymous key", { role: "anon", sub: undefined }, "signed-in user"],
    ["the service's key", { role: "service_role", sub: undefined }, "signed-in user"],
    ["a role of its own", { role: "supabase_admin" }, "signed-in user"],
    ["no user", { sub: undefined }, "signed-in user"],
    ["a user that is no id", { sub: "ada" }, "signed-in user"],
    ["another spelling of a user", { sub: USER.toUpperCase() }, "signed-in user"],
  ])("to %s, without asking anybody", async (_, claims, why) => {
    const given = Object.fromEntries(Object.entries(claims));
    expect(await refused(await server.sign(given))).toContain(why);
    expect(await refused(await server.sign(given, { alg: "HS256", key: HS_SECRET }))).toContain(why);
    expect(server.count("jwks") + server.count("user")).toBe(0);
  });

  it.each([
    [
      "one without a signature",
      async () => `${encode({ alg: "none", kid: "es" })}.${(await server.sign()).split(".")[1]}.`,
    ],
    [
      "one with alg none",
      async () => (await server.sign()).replace(/^[^.]+/, encode({ alg: "none", kid: "es" })),
    ],
    ["one without an algorithm", async () => (await server.sign()).replace(/^[^.]+/, encode({ kid: "es" }))],
    ["one with hs256", async () => (await server.sign()).replace(/^[^.]+/, encode({ alg: "hs256" }))],
    [
      "one with __proto__",
      async () =>
        (await server.sign()).replace(
          /^[^.]+/,
          '{"alg":"__proto__"}'.replace(/.+/, (text) => Buffer.from(text).toString("base64url")),
        ),
    ],
    ["RS256 over a key for ES256", () => server.sign({}, { alg: "RS256", kid: "es", key: server.keys.rs })],
    ["ES256 over a key for RS256", () => server.sign({}, { kid: "rs" })],
    ["an unknown key", () => server.sign({}, { kid: "stranger", key: server.keys.other })],
    ["no key", () => server.sign({}, { kid: "" })],
    ["another key under a known name", () => server.sign({}, { key: server.keys.other })],
    ["a changed signature", async () => (await server.sign()).replace(/.{4}$/, "AAAA")],
    [
      "a changed user",
      async () => (await server.sign()).replace(/\.[^.]+\./, (claims) => `.${forged(claims)}.`),
    ],
    [
      "another secret",
      () => server.sign({}, { alg: "HS256", key: new TextEncoder().encode("x".repeat(40)) }),
    ],
    ["a public key as the secret", publicKeyAsSecret],
  ])("to %s", async (_, token) => {
    expect(await refused(await token())).toContain('error="invalid_token"');
  });
});

function forged(claims: string): string {
  const decoded = JSON.parse(Buffer.from(claims.slice(1, -1), "base64url").toString());
  return encode({ ...decoded, sub: "00000000-0000-4000-8000-000000000000" });
}

async function publicKeyAsSecret(): Promise<string> {
  const { publicKey } = await generateKeyPair("ES256", { extractable: true });
  const key = new TextEncoder().encode(await exportSPKI(publicKey));
  return await server.sign({}, { alg: "HS256", key });
}

describe("E11 supabaseAuth when Supabase is not there", () => {
  const secret = () => server.sign({}, { alg: "HS256", key: HS_SECRET });

  it("answers 503, not 401, if it cannot check a token", async () => {
    const faults: NonNullable<AuthServer["fault"]>[] = [
      (response) => json(response, 500, { msg: "database" }),
      (response) => void response.writeHead(502).end("<html>"),
      (response) => json(response, 429, { code: 429, msg: "slow down" }),
      (response) => void response.destroy(),
    ];
    for (const fault of faults) {
      server.fault = fault;
      await outage(await server.sign());
      await outage(await secret());
    }
    server.fault = (response) => json(response, 200, { nothing: "here" });
    await outage(await server.sign());
    server.fault = () => undefined;
    await outage(await server.sign(), { timeoutMs: 50 });
    await outage(await secret(), { timeoutMs: 50 });
    const [token, other] = [await server.sign(), await secret()];
    await server.close();
    await outage(token);
    await outage(other);
    server = await authServer();
  });

  it("refuses a token whose user has signed out", async () => {
    server.fault = (response) =>
      json(response, 403, { code: 403, error_code: "session_not_found", msg: "Session not found" });
    expect(await refused(await secret())).toContain("not valid");
  });

  it("continues with the keys that it has", async () => {
    const authenticate = authenticator();
    await authenticate(asking(`Bearer ${await server.sign()}`));
    server.fault = (response) => void response.destroy();
    expect(await authenticate(asking(`Bearer ${await server.sign()}`))).toMatchObject({ userId: USER });
    expect(server.count("jwks")).toBe(1);
  });
});

describe("E11 supabaseAuth makes few requests", () => {
  it("asks for the keys once, however many tokens name unknown ones, and finds a new one soon", async () => {
    let now = Date.now();
    const authenticate = authenticator({ now: () => now });
    const strange = await server.sign({}, { kid: "stranger" });
    for (let n = 0; n < 50; n++) await authenticate(asking(`Bearer ${strange}`));
    await Promise.all(Array.from({ length: 50 }, () => authenticate(asking(`Bearer ${strange}`))));
    expect([server.count("jwks"), server.count("user")]).toEqual([1, 0]);

    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    server.jwks.keys.push({ ...(await exportJWK(publicKey)), kid: "new", key_ops: ["verify"] });
    const token = await server.sign({}, { kid: "new", key: privateKey });
    expect(await authenticate(asking(`Bearer ${token}`))).toMatchObject({ status: 401 });
    now += 30_000;
    expect(await authenticate(asking(`Bearer ${token}`))).toMatchObject({ userId: USER });
    expect(server.count("jwks")).toBe(2);
  });

  it("drops a revoked key after ten minutes", async () => {
    let now = Date.now();
    const authenticate = authenticator({ now: () => now });
    const token = await server.sign();
    expect(await authenticate(asking(`Bearer ${token}`))).toMatchObject({ userId: USER });
    server.jwks.keys.shift();
    now += 599_000;
    expect(await authenticate(asking(`Bearer ${token}`))).toMatchObject({ userId: USER });
    now += 2_000;
    expect(await authenticate(asking(`Bearer ${token}`))).toMatchObject({ status: 401 });
  });

  it("does not ask a server that is down for every token", async () => {
    server.fault = (response) => void response.destroy();
    const authenticate = authenticator();
    const token = await server.sign();
    for (let n = 0; n < 20; n++) {
      await expect(authenticate(asking(`Bearer ${token}`))).rejects.toMatchObject({
        code: "store_unavailable",
      });
    }
    expect(server.count("jwks")).toBe(1);
  });

  it("asks once about the same token, and about 16 at a time", async () => {
    const authenticate = authenticator();
    const token = await server.sign({}, { alg: "HS256", key: HS_SECRET });
    await Promise.all(Array.from({ length: 40 }, () => authenticate(asking(`Bearer ${token}`))));
    expect(server.count("user")).toBe(1);
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_, n) => server.sign({ n }, { alg: "HS256", key: HS_SECRET })),
    );
    const callers = await Promise.allSettled(tokens.map((one) => authenticate(asking(`Bearer ${one}`))));
    expect(callers.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
    expect(server.count("user")).toBe(17);
    expect(await authenticate(asking(`Bearer ${tokens[39]}`))).toMatchObject({ userId: USER });
  });
});

it("E11 supabaseAuth refuses a client that has no auth", () => {
  const client = createClient(server.url, "sb_publishable_key", { accessToken: async () => "x" });
  expect(() => authenticator({ client })).toThrow(/accessToken/);
});
