import { fileURLToPath } from "node:url";
import { agent, memoryStore, PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { processorTime } from "../../../test/support/processor-time.ts";
import { type McpServerOptions, mcpServer, mcpTools } from "../src/index.ts";
import { connectTo, type Register, serve } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const echo: Register = (server) => {
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: z.object({ text: z.string() }) },
    async ({ text: said }) => text(said),
  );
};

/** What a tool of this result gives the model and the log. */
async function outcomeOf(result: object, config: object = {}) {
  const served = serve((server) => {
    server.registerTool("it", { description: "", ...config }, async () => result as never);
  });
  const one = world([connectTo(served)], calls("it"));
  const { sessionId } = await one.say("Go");
  const data = await resultOf(one, sessionId);
  const sent = one.model.requests[1]?.messages.at(-1)?.content[0] as { content: unknown } | undefined;
  return { data, sent: sent?.content };
}

/** A list of tools as a server sends it, whatever the SDK thinks of it. */
const listing = (tools: readonly object[]) =>
  serve(
    (server) => void server.registerTool("any", {}, async () => text("")),
    (request, body) => {
      const { method, id } = body === "" ? {} : JSON.parse(body);
      if (request.method !== "POST" || method === "server/discover" || id === undefined) return undefined;
      const result = { resultType: "complete", tools, ttlMs: 0, cacheScope: "private" };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  );

afterEach(() => vi.restoreAllMocks());

describe("a server as a source of tools", () => {
  it("T14 gives an agent its tools, by a name that models take, and reports its connector", async () => {
    const served = serve(echo);
    const one = world([connectTo(served)], calls("echo", { text: "hi" }));
    const { sessionId } = await one.say("Go");
    const data = await resultOf(one, sessionId);
    expect(data).toMatchObject({
      success: true,
      tool_name: "mcp__test__echo",
      result: { content: [{ type: "text", text: "hi" }] },
      report: { connector: "mcp::test" },
    });
    const [call] = served.bodies.filter(({ method }) => method === "tools/call");
    expect(call?.params?._meta).toMatchObject({ "pawl/callId": "c1", "pawl/idempotencyKey": /c1$/ });
    const [, second] = one.model.requests;
    expect(second?.tools?.[0]).toMatchObject({ name: "mcp__test__echo", description: "Says it again." });
    await one.tools.close();
  });

  it("T14 imports the SDK only when a server is used", async () => {
    const script = `
      await import(${JSON.stringify(fileURLToPath(new URL("../src/server.ts", import.meta.url)))});
      const { mcpServer, mcpTools } = await import(${JSON.stringify(fileURLToPath(new URL("../src/index.ts", import.meta.url)))});
      const none = mcpServer({ name: "a", command: "/no/such/program" });
      mcpTools({ servers: [none] }).hook;
      const unused = [...globalThis.seen];
      await none.listTools({ userId: "u" }).catch(() => undefined);
      console.log(JSON.stringify({ unused, used: globalThis.seen }));
    `;
    const hook = `
      import { registerHooks } from "node:module";
      globalThis.seen = [];
      registerHooks({ resolve: (name, context, next) => {
        if (name.startsWith("@modelcontextprotocol")) globalThis.seen.push(name);
        return next(name, context);
      } });
    `;
    const { execFileSync } = await import("node:child_process");
    const args = [
      "--conditions=@pawl/source",
      "--import",
      `data:text/javascript,${encodeURIComponent(hook)}`,
    ];
    const out = execFileSync(process.execPath, [...args, "--input-type=module", "-e", script], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    const { unused, used } = JSON.parse(String(out));
    expect(unused).toEqual([]);
    expect(used).toContain("@modelcontextprotocol/client");
  });

  it("T14 offers the chosen tools only, in the order of their names", async () => {
    const served = serve((server) => {
      for (const name of ["write", "read", "erase"])
        server.registerTool(name, { description: name }, async () => text(name));
    });
    const names = async (tools: McpServerOptions["tools"]) => {
      const source = { session: { userId: "u" }, caller: {}, credentials: undefined, deps: undefined };
      const one = connectTo(served, { tools: tools as never });
      return (await one.tools({ ...source, signal: new AbortController().signal })).map(({ name }) => name);
    };
    expect(await names(undefined)).toEqual(["mcp__test__erase", "mcp__test__read", "mcp__test__write"]);
    expect(await names(["write", "read"])).toEqual(["mcp__test__read", "mcp__test__write"]);
    expect(await names(({ name }) => name !== "erase")).toEqual(["mcp__test__read", "mcp__test__write"]);
  });

  it("T14 refuses wrong options by name", () => {
    const wrong = (options: object) => () => mcpServer(options as never);
    expect(wrong({ name: "a" })).toThrow(/either `url` or `command`/);
    expect(wrong({ name: "a", url: "x" })).toThrow(/valid URL/);
    expect(wrong({ name: "a", url: "https://x", command: "y" })).toThrow(/either/);
    expect(wrong({ name: "a__b", url: "https://x" })).toThrow(/valid name/);
    expect(wrong({ name: "a", command: "x", token: () => "t" })).toThrow(/`token`.*`command`/);
    expect(wrong({ name: "a", url: "https://x", timeoutMs: Number.NaN })).toThrow(/`timeoutMs`/);
    expect(wrong({ name: "a", url: "https://x", transport: {} })).toThrow(/Use `url` or `command`/);
    expect(wrong({ name: "a", url: "https://x", stateKey: "short" })).toThrow(/32/);
    const two = [mcpServer({ name: "a", url: "https://x" }), mcpServer({ name: "a", url: "https://y" })];
    expect(() => mcpTools({ servers: two })).toThrow(PawlError);
  });
});

describe("hostile lists", () => {
  it("T14 takes 500 tools, and asks for the list once for many runs", async () => {
    const served = serve((server) => {
      for (let n = 0; n < 500; n += 1)
        server.registerTool(
          `tool_${n}`,
          { description: "", inputSchema: z.object({ n: z.number() }) },
          async () => text(String(n)),
        );
    });
    const server = connectTo(served);
    const one = world([server], calls("tool_77", { n: 1 }));
    const { sessionId } = await one.say("Go");
    expect((await resultOf(one, sessionId)).result).toMatchObject({ content: [{ text: "77" }] });
    const spentMs = processorTime();
    await one.say("More", { sessionId });
    expect(spentMs()).toBeLessThan(1_000);
    expect(served.bodies.filter(({ method }) => method === "tools/list")).toHaveLength(1);
    expect(one.model.requests[0]?.tools).toHaveLength(500);
  });

  it("T14 gives every name a form that models take, the same in every process", async () => {
    const tools = [
      "weird name!",
      "weird.name!",
      "x".repeat(80),
      `${"x".repeat(80)}y`,
      "",
      "mcp__test__it",
      "😀",
    ];
    const served = listing(tools.map((name) => ({ name, inputSchema: { type: "object" } })));
    const infos = await connectTo(served).listTools({ userId: "u" });
    const names = infos.map(({ toolName }) => toolName);
    expect(new Set(names).size).toBe(tools.length);
    for (const name of names) expect(name).toMatch(/^mcp__test__[a-zA-Z0-9_-]{0,53}$/);
    expect(await connectTo(served).listTools({ userId: "u" })).toEqual(infos);
  });

  it("T14 keeps the first of two tools with one name", async () => {
    const twin = (description: string) => ({ name: "a", description, inputSchema: { type: "object" } });
    const infos = await connectTo(listing([twin("one"), twin("two")])).listTools({ userId: "u" });
    expect(infos.map(({ description }) => description)).toEqual(["one"]);
  });

  it("T14 T3 turns schemas into what models take, and leaves out tools whose schema cannot be shown", async () => {
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let n = 0; n < 100; n += 1) {
      const items = { type: "array" };
      at.items = items;
      at = items;
    }
    const schemas: Record<string, object> = {
      refs: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: {
          a: { $ref: "#/definitions/A" },
          b: { $ref: "https://evil.example/x" },
          c: { $ref: "#" },
        },
        definitions: { A: { type: "string", title: "A" } },
      },
      root: { type: "object", oneOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} } }] },
      all: { type: "object", properties: { a: { allOf: [{ type: "string", pattern: "(((" }] } } },
      tuple: { type: "object", properties: { a: { type: "array", items: [{ type: "string" }, {}] } } },
      field: { type: "object", properties: { "bad name!": {}, ok: {} } },
      needed: { type: "object", properties: { "bad name!": {} }, required: ["bad name!"] },
      proto: { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"},"a":{}}') },
      types: { type: "object", properties: { a: { type: "any", minimum: "0", enum: [] } }, required: "a" },
      deep: { type: "object", properties: { deep } },
      huge: { type: "object", properties: { a: { enum: ["x".repeat(200_000)] } } },
    };
    const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
    const one = world([connectTo(listing(tools))], [{ text: "Ok." }]);
    await one.say("Go");
    expect(one.model.rejected).toEqual([]);
    const sent = new Map(
      one.model.requests[0]?.tools?.map((tool) => [String(tool.name).slice(11), tool.input_schema]),
    );
    expect([...sent.keys()]).toEqual(["all", "deep", "field", "proto", "refs", "root", "tuple", "types"]);
    expect(sent.get("refs")).toEqual({
      type: "object",
      properties: { a: { $ref: "#/$defs/A" }, b: {}, c: {} },
      $defs: { A: { type: "string" } },
    });
    expect(sent.get("root")).toEqual({ type: "object", properties: { a: { type: "string" }, b: {} } });
    expect(
      one.model.requests[0]?.tools?.find(({ name }) => String(name).endsWith("root"))?.description,
    ).toMatch(/must match one of/);
    expect(sent.get("tuple")).toMatchObject({ properties: { a: { prefixItems: [{ type: "string" }, {}] } } });
    expect(sent.get("field")).toEqual({ type: "object", properties: { ok: {} } });
    expect(sent.get("types")).toEqual({ type: "object", properties: { a: {} } });
    expect(one.errors.join(" ")).toMatch(/"huge".*"needed"/);
  });

  it("T14 does not run patterns of a server over the input, however long they take", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const list = listing([{ name: "it", inputSchema }]);
    const one = world([connectTo(list)], calls("it", { a: `${"a".repeat(40)}!` }));
    const spentMs = processorTime();
    await one.say("Go");
    expect(spentMs()).toBeLessThan(5_000);
    expect(list.calls()).toEqual(["it"]);
  });

  it("T14 leaves out a server whose list is nonsense, and the run goes on", async () => {
    const one = world([connectTo(listing([{ name: 7 }]))], [{ text: "Ok." }]);
    const { stop } = await one.say("Go");
    expect(stop.type).toBe("end_turn");
    expect(one.errors).toHaveLength(1);
  });
});

describe("results", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

  it("T14 reach the model as text and images, and the log as the server sent them", async () => {
    const content = [
      { type: "text", text: "Look:" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "image", data: png, mimeType: "image/tiff" },
      { type: "audio", data: png, mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a.md", name: "a", description: "Notes" },
      { type: "resource", resource: { uri: "file:///b.md", text: "B" } },
      { type: "resource", resource: { uri: "file:///c.bin", blob: png, mimeType: "application/zip" } },
    ];
    const { data, sent } = await outcomeOf({ content });
    expect(data.result).toMatchObject({ content });
    expect(sent).toMatchObject(
      [
        { type: "text", text: "Look:" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
        { type: "text", text: /image\/tiff/ },
        { type: "text", text: /audio\/wav/ },
        { type: "text", text: "[resource a <file:///a.md>: Notes]" },
        { type: "text", text: "<file:///b.md>\nB" },
        { type: "text", text: /c\.bin.*application\/zip/ },
      ].map((block) =>
        "text" in block && block.text instanceof RegExp
          ? { ...block, text: expect.stringMatching(block.text) }
          : block,
      ),
    );
  });

  it("T14 are structured content if there is nothing else to read", async () => {
    const { data, sent } = await outcomeOf({ content: [], structuredContent: { n: 1 } });
    expect(data.result).toEqual({ content: [], structuredContent: { n: 1 } });
    expect(sent).toBe('{"n":1}');
  });

  it("T14 L7 are an error if the server says so, with its text", async () => {
    const { data } = await outcomeOf({ ...text("No such city."), isError: true });
    expect(data).toMatchObject({
      success: false,
      result: "No such city.",
      report: { connector: "mcp::test", code: "mcp_tool_error" },
    });
  });

  it("T14 that do not match their schema are reported as done, and never repeated", async () => {
    const tool = {
      name: "it",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { n: { type: "number" } } },
    };
    let ran = 0;
    const served = serve(
      (server) => void server.registerTool("any", {}, async () => text("")),
      (_, body) => {
        const { method, id } = body === "" ? {} : JSON.parse(body);
        if (method !== "tools/list" && method !== "tools/call") return undefined;
        if (method === "tools/call") ran += 1;
        const result = {
          resultType: "complete",
          ...(method === "tools/list"
            ? { tools: [tool], ttlMs: 0, cacheScope: "private" }
            : { content: [], structuredContent: { n: "one" } }),
        };
        return Response.json({ jsonrpc: "2.0", id, result });
      },
    );
    const one = world([connectTo(served, { trustAnnotations: true })], calls("it"));
    const { sessionId } = await one.say("Go");
    const { success, result, report } = await resultOf(one, sessionId);
    expect({ success, report, ran }).toMatchObject({
      success: false,
      ran: 1,
      report: { code: "mcp_unusable_result" },
    });
    expect(result).toMatch(/ran, but its result cannot be used.*output schema.*n:/);
  });
});

describe("resources and prompts", () => {
  it("T14 are read as text, e.g. by a data source", async () => {
    const served = serve((server) => {
      server.registerResource("style", "docs://style", { description: "The style." }, async () => ({
        contents: [{ uri: "docs://style", text: "Be brief." }],
      }));
      server.registerPrompt("review", { argsSchema: z.object({ of: z.string() }) }, async ({ of }) => ({
        messages: [{ role: "user", content: { type: "text", text: `Review ${of}.` } }],
      }));
    });
    const docs = connectTo(served);
    const user = { userId: "ada" };
    expect(await docs.listResources(user)).toEqual([
      { name: "docs://style", title: "style", description: "The style." },
    ]);
    expect(await docs.readResource("docs://style", user)).toBe("Be brief.");
    expect(await docs.listPrompts(user)).toMatchObject([{ name: "review" }]);
    expect(await docs.getPrompt("review", { of: "it" }, user)).toBe("Review it.");
    await expect(docs.readResource("docs://none", user)).rejects.toThrow(/"test"/);
  });
});

it("T14 F19 the tools of servers stand beside an application's own", async () => {
  const tools = mcpTools({ servers: [connectTo(serve(echo))] });
  const made = agent({
    name: "a",
    model: scriptedModel([{ text: "Ok." }]),
    instructions: "i",
    tools: async (source) => [...(await tools(source))],
  });
  const { stop } = await runtime({ agents: [made], store: memoryStore() }).run("a", {
    userId: "u",
    input: "x",
  }).result;
  expect(stop.type).toBe("end_turn");
});
