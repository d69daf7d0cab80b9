import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFiles, memoryStore, type RuntimeOptions, runtime, type StoredEvent } from "@pawl/core";
import { coach, coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playgroundApp } from "../../server/app.ts";

let webDir: string;

beforeAll(async () => {
  webDir = await mkdtemp(join(tmpdir(), "pawl-page-"));
  await mkdir(join(webDir, "assets"));
  await writeFile(join(webDir, "index.html"), "<!doctype html><title>Sage</title>");
  await writeFile(join(webDir, "assets", "index-1a2b.js"), "export {};");
});

afterAll(() => rm(webDir, { recursive: true, force: true }));

function app({
  host = "127.0.0.1",
  store = memoryStore() as RuntimeOptions<unknown>["store"],
  trustProxy = false,
} = {}) {
  const model = scriptedModel(() => ({ text: "Hello." }));
  const pawl = runtime({ agents: [coach({ model })], store, deps: coachDeps({ files: memoryFiles() }) });
  const info = { model: model.id, simulated: true };
  const errors: unknown[] = [];
  const served = playgroundApp({
    runtime: pawl,
    agents: ["coach"],
    info,
    host,
    webDir,
    trustProxy,
    onError: (error) => errors.push(error),
  });
  const at = (url: string, init?: RequestInit) => served.fetch(new Request(url, init));
  const get = (path: string, init?: RequestInit) => at(`http://localhost:4321${path}`, init);
  const say = (input: string, cookie?: string) =>
    get("/api/coach/runs", {
      method: "POST",
      headers: { "content-type": "application/json", ...(cookie && { cookie }) },
      body: JSON.stringify({ input }),
    });
  return { at, get, say, errors };
}

const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";

describe("the playground's server", () => {
  it("answers the health check without a cookie", async () => {
    const response = await app().get("/healthz");
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  it("reports the coach's model", async () => {
    expect(await (await app().get("/api/info")).json()).toEqual({
      model: "claude-scripted",
      simulated: true,
      agents: [{ name: "coach", title: "Coach" }],
      maxMessage: 4_000,
    });
  });

  it("serves the page, and its assets with a permanent cache", async () => {
    const { get } = app();
    const page = await get("/");
    expect(await page.text()).toContain("<title>Sage</title>");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const script = await get("/assets/index-1a2b.js");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(script.headers.get("content-type")).toContain("javascript");
  });

  it.each([
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2f..%2fetc/passwd",
    "/assets/",
    "/api/tester/sessions",
    "/nothing",
  ])("W5 answers %s with 404 and no internal details", async (path) => {
    const response = await app().get(path);
    expect(response.status).toBe(404);
    const { pathname } = new URL(path, "http://localhost");
    const routes = "This server serves the page at /, GET /healthz, and routes under /api and /agent.";
    const message = `No such page or route. ${routes} The request was GET ${pathname}.`;
    expect(await response.json()).toEqual({ error: { code: "not_found", message } });
  });

  it.each(["/", "/healthz", "/api/info", "/api/coach/sessions", "/nothing"])(
    "W5 protects %s with headers",
    async (path) => {
      const { headers } = await app().get(path);
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    },
  );

  it("answers 400 to a NUL in a path or query, and asks no store", async () => {
    const paths = [
      "/api/coach/sessions/%00",
      "/api/coach/sessions/a%00b/events",
      "/api/coach/sessions/a/events?after=%00",
    ];
    const { get, errors } = app();
    for (const path of paths) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 400]);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_input" } });
    }
    expect(errors).toEqual([]);
  });

  it("W5 reveals nothing about a store that failed", async () => {
    const store = memoryStore();
    const broken = {
      ...store,
      sessions: { ...store.sessions, list: () => Promise.reject(new Error("secret at 10.0.0.1")) },
    };
    const { get, errors } = app({ store: broken });
    const response = await get("/api/coach/sessions");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(errors).toHaveLength(1);
  });
});

describe("a browser's identity", () => {
  it("gets a random cookie at the first visit that no script can read, and keeps it", async () => {
    const { get } = app();
    const first = await get("/");
    const set = first.headers.get("set-cookie");
    expect(set).toMatch(/^pawl_browser=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookieOf(await get("/"))).not.toBe(cookieOf(first));
    const again = await get("/api/info", { headers: { cookie: cookieOf(first) } });
    expect(again.headers.get("set-cookie")).toBeNull();
  });

  it("marks the cookie as secure over TLS, which only a trusted proxy can report", async () => {
    const cookie = async (url: string, trustProxy: boolean, proto?: string) => {
      const { at } = app({ trustProxy });
      const response = await at(url, proto === undefined ? {} : { headers: { "x-forwarded-proto": proto } });
      return response.headers.get("set-cookie") ?? "";
    };
    const [plain, tls] = ["http://localhost:4321/", "https://localhost:4321/"];
    expect(await cookie(tls, false)).toContain("; Secure");
    expect(await cookie(plain, true, "https")).toContain("; Secure");
    expect(await cookie(plain, true, "http, https")).toContain("; Secure");
    expect(await cookie(plain, true, "https, http")).not.toContain("Secure");
    expect(await cookie(plain, true)).not.toContain("Secure");
    expect(await cookie(plain, false, "https")).not.toContain("Secure");
  });

  it.each(["", "x", "../../etc", "a".repeat(44), "%00".repeat(15)])(
    "gets a new cookie for the forged one %j",
    async (value) => {
      const response = await app().get("/", { headers: { cookie: `pawl_browser=${value}` } });
      expect(cookieOf(response)).toMatch(/^pawl_browser=[\w-]{43}$/);
    },
  );

  it("E11 sees its own conversations only, by title", async () => {
    const { get, say } = app();
    const mine = await say("Good\n morning");
    const cookie = cookieOf(mine);
    await mine.text();
    const list = async (as?: string) => {
      const response = await get("/api/coach/sessions", as === undefined ? {} : { headers: { cookie: as } });
      return ((await response.json()) as { sessions: { id: string; title: string }[] }).sessions;
    };
    const [session] = await list(cookie);
    expect(session?.title).toBe("Good morning");
    expect(await list()).toEqual([]);
    const path = `/api/coach/sessions/${session?.id}`;
    expect((await get(path, { headers: { cookie } })).status).toBe(200);
    expect((await get(path)).status).toBe(404);
  });

  it("W5 sees the prompt and the tools only where the server is bound to its own machine", async () => {
    const prefixOn = async (host: string) => {
      const { get, say } = app({ host });
      const mine = await say("Hi");
      await mine.text();
      const path = `/api/coach/sessions/${mine.headers.get("x-pawl-session")}/events`;
      const log = await get(path, { headers: { cookie: cookieOf(mine) } });
      const { events } = (await log.json()) as { events: StoredEvent[] };
      return events.find((event) => event.type === "prefix")?.data;
    };
    expect(await prefixOn("0.0.0.0")).toMatchObject({ system: [], tools: [] });
    for (const host of ["127.0.0.1", "localhost", "::1"]) {
      const { system, tools } = (await prefixOn(host)) ?? {};
      expect([system?.length, tools?.length]).toEqual([2, 5]);
    }
  });

  it("has an id from which the cookie cannot be derived", async () => {
    const { get, say } = app();
    const mine = await say("Hi");
    const cookie = cookieOf(mine);
    const log = await mine.text();
    const sessions = await (await get("/api/coach/sessions", { headers: { cookie } })).text();
    expect(log + sessions).not.toContain(cookie.split("=")[1]);
  });
});

describe("requests of other pages", () => {
  it("are refused by their origin", async () => {
    const { get } = app();
    for (const origin of [
      "http://evil.example",
      "null",
      "http://localhost:9999",
      "https://localhost.evil.example",
    ]) {
      expect((await get("/api/info", { headers: { origin } })).status).toBe(403);
    }
    expect((await get("/api/info", { headers: { origin: "http://localhost:4321" } })).status).toBe(200);
  });

  it("are refused by an origin that no browser writes, although it parses to our own", async () => {
    const { get } = app();
    const odd = [
      "http:\\\\localhost:4321",
      "http:/\\localhost:4321",
      "http://localhost:4321/",
      "http://a@localhost:4321",
      "HTTP://LOCALHOST:4321",
      "http:localhost:4321",
    ];
    for (const origin of odd)
      expect([origin, (await get("/api/info", { headers: { origin } })).status]).toEqual([origin, 403]);
  });

  it("are refused if their body is compressed", async () => {
    const { get } = app();
    const headers = { "content-encoding": "gzip" };
    const { status, headers: answered } = await get("/api/coach/runs", {
      method: "POST",
      headers,
      body: "x",
    });
    expect([status, answered.get("accept-encoding")]).toEqual([415, "identity"]);
  });

  it("are refused by a foreign host name that resolves to this machine", async () => {
    const at = (url: string, host?: string) => playgroundAt(url, host).then(({ status }) => status);
    expect(await at("http://evil.example:4321/api/info")).toBe(403);
    expect(await at("http://127.0.0.1:4321/api/info")).toBe(200);
    expect(await at("http://[::1]:4321/api/info")).toBe(200);
    expect(await at("http://box.example:4321/api/info", "0.0.0.0")).toBe(200);
  });
});

async function playgroundAt(url: string, host = "127.0.0.1"): Promise<Response> {
  const model = scriptedModel([]);
  const pawl = runtime({
    agents: [coach({ model })],
    store: memoryStore(),
    deps: coachDeps({ files: memoryFiles() }),
  });
  const served = playgroundApp({
    runtime: pawl,
    agents: ["coach"],
    info: { model: model.id, simulated: true },
    host,
    webDir,
  });
  return await served.fetch(new Request(url));
}
