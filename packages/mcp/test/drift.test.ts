import { memoryStore } from "@pawl/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../test/support/printed.ts";
import type { McpToolChange } from "../src/index.ts";
import { connectTo, serve } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

/** A server whose tools may be changed: its tools, by name, with their input. */
function changing(tools: Map<string, z.ZodRawShape>) {
  return serve((server) => {
    for (const [name, shape] of tools)
      server.registerTool(name, { description: name, inputSchema: z.object(shape) }, async (input) =>
        text(JSON.stringify(input)),
      );
  });
}

const names = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name.slice(11));

describe("a server that changes its tools", () => {
  it("F24 C13 changes what the model reads between two runs only, with a new prefix, and says so", async () => {
    const tools = new Map<string, z.ZodRawShape>([
      ["a", {}],
      ["b", {}],
    ]);
    const changes: McpToolChange[] = [];
    const server = connectTo(changing(tools), { listTtlMs: 0 });
    const one = world([server], [{ text: "1" }, { text: "2" }, { text: "3" }], {
      onChange: (change) => changes.push(change),
    });
    const { sessionId } = await one.say("Go");
    await one.say("Go", { sessionId });
    expect(await one.of(sessionId, "prefix")).toHaveLength(1);
    tools.delete("a");
    tools.set("b", { x: z.string() });
    tools.set("c", {});
    await one.say("Go", { sessionId });
    const [, second] = await one.of(sessionId, "prefix");
    expect(names(second?.data.tools)).toEqual(["b", "c"]);
    expect(changes).toEqual([
      { server: "test", added: ["c"], changed: ["b"], removed: ["a"], leftOut: [], shortened: [] },
    ]);
  });

  it("B8 F24 refuses nobody's message if `onChange` throws", async () => {
    expectPrinted("pawl: onChange failed: no log");
    const tools = new Map<string, z.ZodRawShape>([["a", {}]]);
    const server = connectTo(changing(tools), { listTtlMs: 0 });
    const one = world([server], [{ text: "1" }, { text: "2" }], {
      onChange: () => {
        throw new Error("no log");
      },
    });
    const { sessionId } = await one.say("Go");
    tools.set("b", {});
    expect((await one.say("Go", { sessionId })).text).toBe("2");
    expect(names((await one.of(sessionId, "prefix")).at(-1)?.data.tools)).toEqual(["a", "b"]);
  });

  it("F24 F25 in the middle of a run is in its log, ignores new tools, and judges calls by what is there", async () => {
    const tools = new Map<string, z.ZodRawShape>([
      ["gone", {}],
      ["other", {}],
      ["wait", {}],
    ]);
    const store = memoryStore();
    const served = changing(tools);
    const three = ["gone", "other", "fresh"].map((tool) => ({
      name: `mcp__test__${tool}`,
      id: `c_${tool}`,
      input: {},
    }));
    const asking = serve((server) => {
      server.registerTool("ask", {}, async (ctx) =>
        ctx.mcpReq.inputResponses === undefined
          ? ({
              resultType: "input_required",
              inputRequests: {
                q: {
                  method: "elicitation/create",
                  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
                },
              },
            } as never)
          : text("asked"),
      );
    });
    const boot = (script: Parameters<typeof world>[1]) =>
      world([connectTo(served, { listTtlMs: 0 }), connectTo(asking, { name: "ask" })], script, { store });
    const first = boot([{ tools: [{ name: "mcp__ask__ask", id: "c1", input: {} }] }]);
    const { sessionId } = await first.say("Go");
    tools.delete("gone");
    tools.set("other", { needed: z.string() });
    tools.set("fresh", {});
    const second = boot([{ tools: three }, { text: "Ok." }]);
    await second.answer(sessionId, { action: "accept", content: {} });
    expect(second.model.rejected).toEqual([]);
    expect(await second.of(sessionId, "prefix")).toHaveLength(1);
    const [changed] = await second.of(sessionId, "agent_changed");
    expect(changed?.data.tools).toEqual({ removed: ["mcp__test__gone"], changed: ["mcp__test__other"] });
    const results = new Map(
      (await second.of(sessionId, "tool_result")).map(({ data }) => [data.call_id, data]),
    );
    expect(results.get("c1")).toMatchObject({ success: true });
    expect(results.get("c_gone")).toMatchObject({ success: false, result: /not available any more/ });
    expect(results.get("c_other")).toMatchObject({ success: false, result: /has changed since/ });
    expect(results.get("c_fresh")).toMatchObject({ success: false, result: /no tool named/ });
    expect(served.calls()).toEqual([]);
  });

  it("F24 T14 has the same fingerprint in any order of keys, and another one after any change", async () => {
    const list = async (tools: Map<string, z.ZodRawShape>) =>
      (await connectTo(changing(tools)).listTools({ userId: "u" })).map(({ fingerprint }) => fingerprint);
    const [one] = await list(new Map([["a", { x: z.string(), y: z.number() }]]));
    const [same] = await list(new Map([["a", { x: z.string(), y: z.number() }]]));
    const [other] = await list(new Map([["a", { x: z.string(), y: z.int() }]]));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("F24 T14 is not offered a tool that differs from the reviewed one", async () => {
    const tools = new Map<string, z.ZodRawShape>([
      ["a", {}],
      ["b", {}],
      ["c", {}],
    ]);
    const served = changing(tools);
    const reviewed = await connectTo(served).listTools({ userId: "u" });
    const fingerprints = Object.fromEntries(
      reviewed.slice(0, 2).map(({ name, fingerprint }) => [name, fingerprint]),
    );
    tools.set("b", { x: z.string() });
    const one = world([connectTo(served, { fingerprints })], calls("a"));
    const { sessionId } = await one.say("Go");
    expect(names(one.model.requests[0]?.tools as never)).toEqual(["a"]);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(one.errors).toEqual([
      expect.stringMatching(/"b": it has changed: its fingerprint is [0-9a-f]{64}/),
      expect.stringMatching(/"c": it was not reviewed/),
    ]);
  });
});
