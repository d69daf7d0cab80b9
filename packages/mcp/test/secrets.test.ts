import { fileURLToPath } from "node:url";
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { memoryStore } from "@pawl/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withSpans } from "../../otel/src/index.ts";
import { type McpServerOptions, mcpServer } from "../src/index.ts";
import { connectTo, node } from "./support/servers.ts";
import { elicit } from "./support/task-server.ts";
import { calls, text, type World, world } from "./support/world.ts";

const TOKEN = "tok_ada_0123456789abcdef";
const KEY = "key_app_0123456789abcdef";
const SECRET = "env_app_0123456789abcdef";

afterEach(() => vi.restoreAllMocks());

/** Everything that anybody could read of a session: log, spans, errors, console, and what the model gets. */
function watching() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const said: unknown[] = [];
  for (const level of ["log", "warn", "error", "info", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...args) => void said.push(...args));
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("test"), content: true } as never);
  return {
    store,
    seen: async (one: World, sessionId: string, thrown: unknown[] = []): Promise<string> =>
      [
        JSON.stringify(await one.log(sessionId)),
        JSON.stringify(await one.pawl.view(sessionId, { userId: "u1" })),
        JSON.stringify(
          exporter.getFinishedSpans().map(({ attributes, events, status }) => [attributes, events, status]),
        ),
        JSON.stringify(one.model.requests),
        ...one.errors,
        ...said.map(String),
        ...thrown.map(
          (error) => `${error} ${(error as Error).stack} ${JSON.stringify(error)} ${(error as Error).cause}`,
        ),
      ].join("\n"),
    spans: () => exporter.getFinishedSpans().length,
  };
}

/** A server that repeats what it was sent wherever it can: description, result, error, question, progress, task. */
function parrot() {
  const handler = createMcpHandler(({ requestInfo }) => {
    const heard = `${requestInfo?.headers.get("authorization")} ${requestInfo?.headers.get("x-api-key")}`;
    const server = new SdkServer({ name: "parrot", version: "1" });
    server.registerTool("say", { description: `You are ${heard}` }, async () => text(heard));
    server.registerTool("fail", {}, async () => {
      throw new Error(heard);
    });
    server.registerTool(
      "ask",
      {},
      async () =>
        ({
          resultType: "input_required",
          inputRequests: { q: elicit(heard) },
        }) as never,
    );
    server.registerTool("progress", {}, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken as number;
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: 1, message: heard },
      });
      return text("done");
    });
    server.registerResource("heard", "docs://heard", {}, async () => ({
      contents: [{ uri: "docs://heard", text: heard }],
    }));
    return server;
  });
  let isCancelled = false;
  const serve = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const body = init?.body === undefined ? {} : JSON.parse(String(init.body));
    const heard = `${request.headers.get("authorization")} ${request.headers.get("x-api-key")}`;
    const answer = (result: object) =>
      Response.json({ jsonrpc: "2.0", id: body.id, result: { resultType: "complete", ...result } });
    const task = { taskId: "t1", ttlMs: null, createdAt: "", lastUpdatedAt: "", pollIntervalMs: 250 };
    if (body.method === "tools/call") isCancelled = body.params.arguments?.task === "cancelled";
    if (body.method === "tools/call" && body.params.name === "say" && body.params.arguments?.task)
      return answer({ ...task, resultType: "task", status: "working", statusMessage: heard });
    if (body.method === "tasks/get")
      return answer({
        ...task,
        status: isCancelled ? "cancelled" : "failed",
        statusMessage: heard,
        error: { code: -32_603, message: heard },
      });
    if (body.method === "tools/call" && body.params.arguments?.status)
      return new Response(heard, { status: body.params.arguments.status });
    return await handler.fetch(request);
  };
  return { fetch: serve as typeof fetch };
}

const options: Partial<McpServerOptions<never>> = {
  token: () => TOKEN,
  headers: { "x-api-key": KEY },
};

describe("no credential of a server is in a log, a span, an error or the console", () => {
  it.each([
    ["say", {}],
    ["say", { task: true }],
    ["say", { task: "cancelled" }],
    ["say", { status: 500 }],
    ["say", { status: 403 }],
    ["fail", {}],
    ["ask", {}],
    ["progress", {}],
  ])("F24 F17 although the server repeats it: %s %j", async (tool, input) => {
    const { store, seen, spans } = watching();
    const one = world([connectTo(parrot(), options)], calls(tool, input), { store });
    const live: unknown[] = [];
    const run = one.pawl.run("tester", { userId: "u1", input: "Go" });
    run.on("tool_progress", (event) => void live.push(event));
    const { sessionId } = await run.result;
    const all = `${await seen(one, sessionId)} ${JSON.stringify(live)}`;
    expect(spans()).toBeGreaterThan(0);
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain(KEY);
    expect(all).toContain("…");
  });

  it("F24 F17 although the server repeats a key without the word before it", async () => {
    const served = {
      fetch: (async (input: string, init?: RequestInit) => {
        const headers = new Headers(init?.headers);
        headers.set("x-api-key", headers.get("authorization")?.slice(7) ?? "");
        return await parrot().fetch(input, { ...init, headers });
      }) as typeof fetch,
    };
    const { store, seen } = watching();
    const one = world([connectTo(served, { headers: { authorization: `Bearer ${KEY}` } })], calls("say"), {
      store,
    });
    const { sessionId } = await one.say("Go");
    expect(await seen(one, sessionId)).not.toContain(KEY);
  });

  it("F24 F17 in resources, and in the errors of what is read outside of a run", async () => {
    const server = connectTo(parrot(), options);
    expect(await server.readResource("docs://heard", { userId: "u1" })).toBe("Bearer … …");
    const thrown = await server
      .readResource(`docs://${TOKEN}`, { userId: "u1" })
      .catch((error: unknown) => error);
    expect(`${thrown} ${(thrown as Error).stack} ${JSON.stringify(thrown)}`).not.toContain(TOKEN);
  });

  it("F24 F17 the environment of a program", async () => {
    const { store, seen } = watching();
    const program = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
    const server = mcpServer({
      name: "test",
      command: node,
      args: [program],
      env: { SECRET },
      protocol: "legacy",
    });
    const one = world([server], calls("env"), { store });
    const { sessionId } = await one.say("Go");
    const all = await seen(one, sessionId);
    expect(all).toContain("PATH");
    expect(all).not.toContain(SECRET);
    await server.close();
  });
});
