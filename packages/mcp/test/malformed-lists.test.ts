// Lists of which some entries are not as the protocol says.
import { describe, expect, it, vi } from "vitest";
import { hostileMcp } from "../../../test/attacks/parts/hostile-mcp.ts";
import type { McpServerOptions, McpToolChange } from "../src/index.ts";
import { connectTo, serve } from "./support/servers.ts";
import { calls, resultOf, world } from "./support/world.ts";

const ada = { userId: "u1" };
const object = { type: "object" };
const good = { name: "it", inputSchema: object };

/** An agent with the tools of an older server that lists what `tools` returns. */
function app(tools: () => unknown, options: Partial<McpServerOptions<never>> = {}) {
  const server = connectTo(
    { fetch: hostileMcp({ tools: tools as () => object[] }) },
    { protocol: "legacy", ...options },
  );
  const one = world([server], [...calls("it").slice(0, 2), { text: "Bye." }]);
  const offered = () => one.model.requests.at(-1)?.tools?.map(({ name }) => name) ?? [];
  return { server, one, offered };
}

/** A server of 2026-07-28 that answers `method` with this. */
function modern(method: string, page: object) {
  const served = serve(
    (server) => {
      server.registerResource("r", "file:///r", {}, async () => ({ contents: [] }));
      server.registerPrompt("p", {}, async () => ({ messages: [] }));
    },
    (_, body) => {
      const rpc = body === "" ? {} : JSON.parse(body);
      if (rpc.method !== method) return undefined;
      const cache = { ttlMs: 0, cacheScope: "private" };
      const result = { resultType: "complete", ...cache, ...page };
      return Response.json({ jsonrpc: "2.0", id: rpc.id, result });
    },
  );
  return connectTo(served);
}

describe("a list with a malformed tool", () => {
  it.each<[string, unknown, RegExp]>([
    ["no inputSchema", { name: "bad" }, /"bad": it does not match the protocol: inputSchema/],
    ["no type", { name: "bad", inputSchema: { properties: {} } }, /"bad": .*inputSchema\.type/],
    ["required: null", { name: "bad", inputSchema: { ...object, required: null } }, /"bad": .*required/],
    ["description: null", { name: "bad", description: null, inputSchema: object }, /"bad": .*description/],
    [
      "results that are a list",
      { name: "bad", inputSchema: object, outputSchema: { type: "array", items: {} } },
      /"bad": .*outputSchema\.type/,
    ],
    ["annotations: null", { name: "bad", inputSchema: object, annotations: null }, /"bad": .*annotations/],
    ["no name", { inputSchema: object }, /"#2": .*name/],
    ["a number for a name", { name: 7, inputSchema: object }, /"#2": .*name/],
    ["nothing", null, /"#2": it does not match the protocol/],
    ["a list", [good], /"#2": it does not match the protocol/],
  ])("T14 F24 (%s) leaves it out, says so once, and the others work", async (_, bad, said) => {
    const last = { name: "last", inputSchema: object };
    const { one, offered } = app(() => [good, bad, last], { listTtlMs: 0 });
    const { sessionId } = await one.say("Go");
    expect(offered()).toEqual(["mcp__test__it", "mcp__test__last"]);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(one.errors).toEqual([expect.stringMatching(said)]);
    expect(one.errors.join()).not.toMatch(/ran|Do not repeat/);
    await one.say("Bye", { sessionId });
    expect(one.errors).toHaveLength(1);
  });

  it("T14 reports one that becomes malformed later, and takes it back when it is right again", async () => {
    let bad: object = { name: "b" };
    const { server } = app(() => [good, bad], { listTtlMs: 0 });
    const changes: McpToolChange[] = [];
    server.onChange((change) => changes.push(change));
    const names = async () => (await server.listTools(ada)).map(({ name }) => name);
    bad = { name: "b", inputSchema: object };
    expect(await names()).toEqual(["b", "it"]);
    bad = { name: "b", inputSchema: null };
    expect(await names()).toEqual(["it"]);
    expect(changes).toMatchObject([{ removed: ["b"], leftOut: [{ name: "b" }] }]);
    bad = { name: "c", inputSchema: null };
    expect(await names()).toEqual(["it"]);
    expect(changes.at(-1)).toMatchObject({ removed: [], leftOut: [{ name: "c" }] });
    bad = { name: "b", inputSchema: object };
    expect(await names()).toEqual(["b", "it"]);
    expect(changes.at(-1)).toMatchObject({ added: ["b"], leftOut: [] });
  });

  it("T14 says nothing about one that the application has not chosen", async () => {
    const { one, offered } = app(() => [good, { name: "bad" }], { tools: ["it"] });
    await one.say("Go");
    expect(offered()).toEqual(["mcp__test__it"]);
    expect(one.errors).toEqual([]);
  });

  it("B7 T14 of 2,000 malformed tools is read in few words and little time", async () => {
    const required = Array(1_000).fill(1);
    const { one, offered } = app(() => [
      good,
      ...Array.from({ length: 1_999 }, (_, n) => ({ name: `b${n}`, inputSchema: { ...object, required } })),
    ]);
    const begin = process.cpuUsage();
    await one.say("Go");
    expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(5_000);
    expect(offered()).toEqual(["mcp__test__it"]);
    expect(one.errors.length).toBeLessThanOrEqual(12);
    expect(one.errors.join().length).toBeLessThan(6_000);
  });

  it("T14 F24 `nextCursor: null` ends a list", async () => {
    const server = modern("resources/list", {
      resources: [{ uri: "file:///a", name: "a" }],
      nextCursor: null,
    });
    expect((await server.listResources(ada)).map(({ name }) => name)).toEqual(["file:///a"]);
  });

  it("T14 keeps fingerprints as they were, whatever else an entry has", async () => {
    const { server } = app(() => [{ ...good, annotations: { title: "It", other: 1 }, more: 1 }]);
    const plain = app(() => [{ ...good, annotations: { title: "It" } }]);
    const [one] = await server.listTools(ada);
    const [two] = await plain.server.listTools(ada);
    expect(one?.fingerprint).toBe(two?.fingerprint);
  });
});

describe("a list of resources or prompts with a malformed entry", () => {
  it.each([
    ["resources", "listResources", { uri: "file:///a", name: "a" }, { uri: 1, name: "b" }, "file:///a"],
    ["resources", "listResources", { uri: "file:///a", name: "a" }, { uri: "file:///b" }, "file:///a"],
    ["prompts", "listPrompts", { name: "a" }, { name: "b", arguments: {} }, "a"],
    ["prompts", "listPrompts", { name: "a" }, null, "a"],
  ] as const)("T14 F24 %s: the others are listed", async (kind, method, entry, bad, name) => {
    const server = modern(`${kind}/list`, { [kind]: [bad, entry] });
    expect((await server[method](ada)).map((one) => one.name)).toEqual([name]);
  });
});

describe("a list that fails", () => {
  it.each<[string, unknown, RegExp]>([
    ["no list", "x", /The list of tools of "test" cannot be read: it has no list `tools`/],
    ["an object", {}, /it has no list `tools`/],
  ])("T14 F24 (%s) says what is wrong, and speaks of no tool that ran", async (_, tools, said) => {
    const { server } = app(() => tools);
    const failed = await server.listTools(ada).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "mcp_unusable_result", outcome: "failed" });
    expect(String(failed)).toMatch(said);
    expect(String(failed)).not.toMatch(/ ran|repeat/);
  });

  it("T14 F24 whose answer is lost says nothing of an effect", async () => {
    const lost = (method: string) =>
      connectTo({
        fetch: async (input, init) => {
          const body = JSON.parse(String(init?.body ?? "{}"));
          if (body.method === method) return new Response("oops", { status: 500 });
          return await hostileMcp({ tools: () => [good] })(input, init);
        },
      });
    const failed = await lost("tools/list")
      .listTools(ada)
      .catch((error: unknown) => error);
    expect(String(failed)).toMatch(/The request to "test" failed: it answered 500/);
    const refused = await lost("initialize")
      .listTools(ada)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "mcp_unreachable", outcome: "not_sent" });
  });

  it("T14 F24 a server that introduces itself wrongly cannot be reached, and no tool of it ran", async () => {
    const server = connectTo(
      {
        fetch: vi.fn(async (_, init) => {
          const { id, method } = JSON.parse(String(init?.body ?? "{}"));
          const result = method === "initialize" ? { protocolVersion: 1 } : {};
          return Response.json({ jsonrpc: "2.0", id, result });
        }),
      },
      { protocol: "legacy" },
    );
    const failed = await server.listTools(ada).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "mcp_unreachable", outcome: "not_sent" });
    expect(String(failed)).not.toMatch(/ ran|repeat/);
  });
});
