// Runs the recipes of docs/guide/auth.md: each program exports the handler that it makes.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

type Serve = (request: Request) => Promise<Response>;
interface Recipe {
  serve: Serve;
  signIn?(userId: string): Response;
}

/** Makes the tokens of Auth.js. */
type Encode = (options: {
  salt: string;
  secret: string;
  token: { sub: string; name: string };
  maxAge?: number;
}) => Promise<string>;

// Its types are not imported: they would add those of browsers to the whole project.
const AUTH_JS: string = "@auth/core/jwt";
const { encode } = (await import(AUTH_JS)) as { encode: Encode };

const APP = "https://app.example.com";
const SECRET = "a secret of at least thirty-two characters";
const guide = join(import.meta.dirname, "..", "docs", "guide", "auth.md");
const page = await readFile(guide, "utf8");
const recipes = [...page.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, code = ""]) => code);
const folder = join(import.meta.dirname, ".auth-guide");
let programs = 0;

/** Runs the recipe that contains the text, and returns what it exports. */
async function run(text: string): Promise<Recipe> {
  const found = recipes.filter((code) => code.includes(text));
  expect(found).toHaveLength(1);
  programs += 1;
  const file = join(folder, `${programs}.ts`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, found[0] ?? "");
  return (await import(file)) as Recipe;
}

const { privateKey, publicKey } = await generateKeyPair("RS256");
const other = await generateKeyPair("RS256");
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256" }] };
const provider = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(jwks));
});
let issuer: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  Object.assign(process.env, { JWT_ISSUER: issuer, CLERK_ISSUER: issuer, AUTH_SECRET: SECRET });
});
afterAll(async () => {
  for (const name of ["JWT_ISSUER", "CLERK_ISSUER", "AUTH_SECRET"]) delete process.env[name];
  provider.close();
  await rm(folder, { recursive: true, force: true });
});

const now = () => Math.floor(Date.now() / 1000);
const token = async (claims: JWTPayload, key = privateKey) =>
  await new SignJWT({ iss: issuer, iat: now(), exp: now() + 60, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "k1" })
    .sign(key);
const send = async (serve: Serve, headers: Record<string, string>, method = "POST"): Promise<number> => {
  const body = method === "POST" ? { body: JSON.stringify({ input: "Hi" }) } : {};
  const path = method === "POST" ? "runs" : "sessions";
  const request = new Request(`${APP}/api/coach/${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...body,
  });
  const response = await serve(request);
  await response.text();
  return response.status;
};
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
/** The sessions that a request can see. */
async function sessionsOf(serve: Serve, headers: Record<string, string>): Promise<{ userId: string }[]> {
  const response = await serve(new Request(`${APP}/api/coach/sessions`, { headers }));
  return ((await response.json()) as { sessions: { userId: string }[] }).sessions;
}

describe("U10 the recipe for JWTs", async () => {
  const claims = { sub: "ada", aud: "coach" };

  it("accepts a token of the issuer, and names its user", async () => {
    const { serve } = await run("JWT_ISSUER");
    expect(await send(serve, bearer(await token(claims)))).toBe(200);
    expect(await sessionsOf(serve, bearer(await token(claims)))).toMatchObject([{ userId: "ada" }]);
    expect(await sessionsOf(serve, bearer(await token({ ...claims, sub: "bob" })))).toEqual([]);
  });

  it("refuses every other token", async () => {
    const { serve } = await run("JWT_ISSUER");
    const wrong = [
      "nonsense",
      await token({ ...claims, aud: "another-api" }),
      await token({ sub: "ada" }),
      await token({ aud: "coach" }),
      await token({ ...claims, iss: "https://evil.example" }),
      await token({ ...claims, exp: now() - 60 }),
      await token(claims, other.privateKey),
      `${btoa(JSON.stringify({ alg: "none" }))}.${btoa(JSON.stringify({ ...claims, iss: issuer }))}.`,
    ];
    for (const text of wrong) expect(await send(serve, bearer(text))).toBe(401);
    expect(await send(serve, {})).toBe(401);
  });

  it("answers 500 and not 401 if the keys cannot be loaded", async () => {
    process.env.JWT_ISSUER = "http://127.0.0.1:9";
    const { serve } = await run("JWT_ISSUER");
    process.env.JWT_ISSUER = issuer;
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => reported.mockRestore());
    const text = await token({ ...claims, iss: "http://127.0.0.1:9" });
    expect(await send(serve, bearer(text))).toBe(500);
  });
});

describe("U10 the recipe for Clerk", () => {
  // The claims of a session token, version 2.
  const claims = () => ({ sub: "user_1", sid: "sess_1", azp: APP, v: 2, sts: "active", nbf: now() - 10 });
  const cookie = (text: string) => ({ cookie: `__client_uat=1; __session=${text}` });

  it("accepts a session token in the header, and in the cookie if an own page sends it", async () => {
    const { serve } = await run("CLERK_ISSUER");
    const text = await token(claims());
    expect(await send(serve, bearer(text))).toBe(200);
    expect(await send(serve, { ...cookie(text), origin: APP })).toBe(200);
    expect(await send(serve, cookie(text), "GET")).toBe(200);
    expect(await sessionsOf(serve, cookie(text))).toMatchObject([{ userId: "user_1" }, { userId: "user_1" }]);
    for (const origin of ["https://evil.example", "https://x.example.com", "null"])
      expect(await send(serve, { ...cookie(text), origin })).toBe(401);
    expect(await send(serve, cookie(text))).toBe(401);
  });

  it("refuses tokens of other pages, pending sessions and old tokens", async () => {
    const { serve } = await run("CLERK_ISSUER");
    const wrong = [
      { azp: "https://evil.example" },
      { sts: "pending" },
      { exp: now() - 10 },
      { nbf: now() + 60 },
      { iss: "https://other.clerk.accounts.dev" },
    ];
    for (const claim of wrong)
      expect(await send(serve, bearer(await token({ ...claims(), ...claim })))).toBe(401);
    const { azp: _, ...withoutParty } = claims();
    expect(await send(serve, bearer(await token(withoutParty)))).toBe(200);
  });
});

describe("U10 the recipe for Auth.js", () => {
  const NAME = "__Secure-authjs.session-token";
  const made = async (sub: string, options: { secret?: string; maxAge?: number } = {}) =>
    await encode({ salt: NAME, secret: SECRET, token: { sub, name: "Ada" }, ...options });
  const origin = APP;

  it("accepts a cookie that Auth.js has made, also one in pieces", async () => {
    const { serve } = await run("AUTH_SECRET");
    const text = await made("ada");
    expect(await send(serve, { cookie: `${NAME}=${text}`, origin })).toBe(200);
    const pieces = `${NAME}.0=${text.slice(0, 100)}; ${NAME}.1=${text.slice(100)}`;
    expect(await send(serve, { cookie: pieces, origin })).toBe(200);
    expect(await sessionsOf(serve, { cookie: pieces })).toMatchObject([{ userId: "ada" }, { userId: "ada" }]);
  });

  it("refuses other cookies, and pages of other origins", async () => {
    const { serve } = await run("AUTH_SECRET");
    const wrong = [
      await made("ada", { secret: "x".repeat(32) }),
      await made("ada", { maxAge: -60 }),
      "x",
      "",
    ];
    for (const text of wrong) expect(await send(serve, { cookie: `${NAME}=${text}`, origin })).toBe(401);
    const cookie = `${NAME}=${await made("ada")}`;
    expect(await send(serve, { cookie, origin: "https://evil.example" })).toBe(401);
    expect(await send(serve, { cookie })).toBe(401);
    expect(await send(serve, { origin })).toBe(401);
  });
});

describe("U10 the recipe for own cookies", () => {
  it("accepts its own cookie from its own pages only", async () => {
    const { serve, signIn } = await run("__Host-id");
    const set = signIn?.("ada").headers.get("set-cookie") ?? "";
    for (const part of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]) expect(set).toContain(part);
    const cookie = `theme=dark; ${set.split(";")[0]}`;
    expect(await send(serve, { cookie, origin: APP })).toBe(200);
    expect(await send(serve, { cookie }, "GET")).toBe(200);
    for (const origin of ["https://evil.example", "https://x.example.com", "http://app.example.com", "null"])
      expect(await send(serve, { cookie, origin })).toBe(403);
    expect(await send(serve, { cookie })).toBe(403);
    expect(await send(serve, { cookie: "__Host-id=guessed", origin: APP })).toBe(401);
    expect(await send(serve, { origin: APP })).toBe(401);
  });
});
