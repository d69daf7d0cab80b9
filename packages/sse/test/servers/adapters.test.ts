import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { serve as serveHono } from "@hono/node-server";
import { agent, memoryFiles, memoryStore, type Runtime, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { rawRequest } from "../../../../test/support/raw-request.ts";
import { fastifyPlugin } from "../../src/fastify.ts";
import { type HandlerOptions, handler, health } from "../../src/index.ts";
import { nodeListener } from "../../src/node.ts";
import { type HandModel, handModel } from "../support/hand-model.ts";

type Serve = (request: Request) => Promise<Response>;

const PATH = "/api/coach";

const listening = async (server: Server): Promise<string> => {
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
};

/** How each framework is given a handler, as the docs say, beside what it usually has. */
const frameworks: Record<string, (serve: Serve) => Promise<string>> = {
  "Node's http": async (serve) => await listening(createServer(nodeListener(serve)).listen(0)),
  Express: async (serve) => {
    const app = express();
    app.all(`${PATH}/*path`, nodeListener(serve));
    app.use(express.json());
    return await listening(app.listen(0));
  },
  "Express behind express.json()": async (serve) => {
    const app = express();
    app.use(express.json(), express.text({ type: "text/plain" }));
    app.all(`${PATH}/*path`, nodeListener(serve));
    return await listening(app.listen(0));
  },
  "a router of Express": async (serve) => {
    const app = express();
    const router = express.Router();
    router.all("/coach/*path", nodeListener(serve));
    app.use("/api", router);
    return await listening(app.listen(0));
  },
  "app.use() of Express": async (serve) => {
    const app = express();
    app.use(PATH, nodeListener(serve));
    return await listening(app.listen(0));
  },
  Fastify: async (serve) => {
    const app = fastify();
    app.post("/echo", (request) => request.body);
    await app.register(fastifyPlugin(serve), { prefix: PATH });
    await app.listen({ port: 0, host: "localhost" });
    onTestFinished(async () => {
      app.server.closeAllConnections();
      await app.close();
    });
    const { port } = app.server.address() as AddressInfo;
    // Its own routes read bodies as ever.
    const echo = await fetch(`http://localhost:${port}/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"a":1}',
    });
    expect(await echo.json()).toEqual({ a: 1 });
    return `http://localhost:${port}`;
  },
  Hono: async (serve) => {
    const app = new Hono();
    app.all(`${PATH}/*`, (c) => serve(c.req.raw));
    return await listening(serveHono({ fetch: app.fetch, port: 0 }) as Server);
  },
};

describe.each(Object.entries(frameworks))("W1 %s", (name, mount) => {
  const setup = async (
    options: Partial<HandlerOptions> = {},
  ): Promise<{ url: string; model: HandModel; pawl: Runtime }> => {
    const model = handModel();
    const pawl = runtime({
      agents: [agent({ name: "coach", model, instructions: "Be kind." })],
      store: memoryStore(),
      files: memoryFiles(),
    });
    const serve = handler<string>({
      runtime: pawl,
      agent: "coach",
      authorize: ({ headers }) => (headers.get("authorization") === "Bearer ada" ? { userId: "ada" } : null),
      basePath: PATH,
      maxBodyBytes: 1_000,
      ...options,
    });
    return { url: `${await mount(serve)}${PATH}`, model, pawl };
  };
  const post = (url: string, input: string, signal?: AbortSignal) =>
    fetch(`${url}/runs`, {
      method: "POST",
      headers: { authorization: "Bearer ada", "content-type": "application/json" },
      body: JSON.stringify({ input }),
      ...(signal && { signal }),
    });

  it("W4 streams while the model writes, and the run continues when the reader disconnects", async () => {
    const { url, model, pawl } = await setup();
    const leaving = new AbortController();
    const response = await post(url, "Hi", leaving.signal);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const turn = await model.turn();
    turn.say("Good ");
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('"text":"Good "')) break;
    }
    expect(text).toContain(": pawl");
    leaving.abort();
    turn.say("morning.");
    turn.end();
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    await expect
      .poll(async () => (await pawl.view(sessionId, { userId: "ada" })).messages.at(-1)?.text)
      .toBe("Good morning.");
  });

  it("W5 refuses as the handler does: no user, a body that is too long, another method", async () => {
    const { url } = await setup();
    expect((await fetch(`${url}/sessions`)).status).toBe(401);
    expect((await post(url, "x".repeat(2_000))).status).toBe(413);
    expect((await fetch(`${url}/runs`, { headers: { authorization: "Bearer ada" } })).status).toBe(405);
  });

  it("refuses a body that is compressed, unless a parser of the app has decompressed it", async () => {
    const { url, model } = await setup();
    const response = await fetch(`${url}/runs`, {
      method: "POST",
      headers: {
        authorization: "Bearer ada",
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: gzipSync('{"input":"Hi"}'),
    });
    const isParsed = name === "Express behind express.json()";
    expect(response.status).toBe(isParsed ? 200 : 415);
    if (!isParsed) return expect(response.headers.get("accept-encoding")).toBe("identity");
    const turn = await model.turn();
    turn.say("Hello.");
    turn.end();
    expect(await response.text()).toContain("Hello.");
  });

  it("F1 takes files, and gives them back", async () => {
    const { url } = await setup();
    const headers = { authorization: "Bearer ada", "content-type": "application/octet-stream" };
    const body = new TextEncoder().encode("{not json} ".repeat(20_000));
    const response = await fetch(`${url}/files`, { method: "POST", headers, body });
    const { id, mediaType } = (await response.json()) as { id: string; mediaType: string };
    expect([response.status, mediaType]).toEqual([200, "text/plain"]);
    const loaded = await fetch(`${url}/files/${id}`, { headers });
    expect(loaded.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await loaded.arrayBuffer()).byteLength).toBe(body.length);
  });

  it("U10 answers preflights without a call of authorize()", async () => {
    const origin = "https://app.example.com";
    const cors = { origins: [origin] };
    const { url } = await setup({ cors, authorize: () => expect.unreachable() });
    for (const path of ["/runs", "/sessions", "/sessions/x/stream"]) {
      const asked = { origin, "access-control-request-method": "POST" };
      const { status, headers } = await fetch(`${url}${path}`, { method: "OPTIONS", headers: asked });
      expect([status, headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    }
  });

  it("U6 names the paths that it serves, if the path or `basePath` is wrong", async () => {
    const refusal = async (path: string, options: Partial<HandlerOptions>) => {
      const { url } = await setup(options);
      const response = await fetch(`${url}${path}`, { headers: { authorization: "Bearer ada" } });
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await refusal("/session", {})).toEqual([
      404,
      "No such route: GET /api/coach/session. This handler serves /api/coach/runs and /api/coach/sessions. Check `basePath`, or the client's `url`.",
    ]);
    expect(await refusal("/sessions", { basePath: "" })).toEqual([
      404,
      "No such route: GET /api/coach/sessions. This handler serves /runs and /sessions. Check `basePath`, or the client's `url`.",
    ]);
  });
});

describe("W1 nodeListener() over HTTP/1.0, which needs no host", () => {
  const answered = async (lines: readonly string[], body = "") => {
    const made = agent({
      name: "coach",
      model: scriptedModel([{ text: "Hello." }]),
      instructions: "Be kind.",
    });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const serve = handler({ runtime: pawl, agent: made, authorize: () => ({ userId: "ada" }) });
    const check = health({ runtime: pawl });
    const both = (request: Request) => (/\/(livez|readyz)$/.test(request.url) ? check : serve)(request);
    const url = await listening(createServer(nodeListener(both)).listen(0));
    return await rawRequest(Number(new URL(url).port), lines, body);
  };

  it.each(["/livez", "/readyz", "/sessions"])("answers %s", async (path) => {
    const { status, body } = await answered([`GET ${path} HTTP/1.0`]);
    expect([status, JSON.parse(body)]).toEqual([200, expect.any(Object)]);
    expect((await answered([`HEAD ${path} HTTP/1.0`])).status).toBe(200);
    expect((await answered([`GET ${path} HTTP/1.0`, "host: "])).status).toBe(200);
  });

  it("streams a run to its end, without chunks that HTTP/1.0 cannot read", async () => {
    const input = '{"input":"Hi"}';
    const headers = ["content-type: application/json", `content-length: ${input.length}`];
    const { status, head, body } = await answered(["POST /runs HTTP/1.0", ...headers], input);
    expect([status, /transfer-encoding/i.test(head)]).toEqual([200, false]);
    expect(body).toMatch(/^: pawl heartbeat/);
    expect(body).toContain("Hello.");
  });

  it("leaves it to Node to refuse HTTP/1.1 without a host", async () => {
    expect((await answered(["GET /livez HTTP/1.1", "connection: close"])).status).toBe(400);
  });
});
