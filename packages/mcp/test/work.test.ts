// What the answers of a hostile server cost.
import type { Json, JsonObject } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { callingApp, type Hostile, hostileMcp, listed } from "../../../test/attacks/parts/hostile-mcp.ts";
import { ofType } from "../../../test/support/invariants.ts";
import { offeredTool } from "../src/tools/offered-tool.ts";

async function called(hostile: Hostile, input: Json = {}) {
  let answers = 0;
  const counted: Hostile = {
    ...hostile,
    before: async (request) => {
      if (request.method !== "POST") return undefined;
      const { id, method } = (await request.json()) as { id?: unknown; method?: unknown };
      if (id !== undefined && method === undefined) answers += 1;
      return undefined;
    },
  };
  const { pawl } = callingApp(hostileMcp(counted), { input: () => input });
  const { sessionId, stop } = await pawl.run("a", { userId: "ada", input: "Go" }).result;
  expect(stop.type).toBe("end_turn");
  const log = [];
  for await (const event of pawl.store.read(sessionId, {})) log.push(event);
  const [result] = ofType(log, "tool_result");
  return { data: result?.data, answers };
}

/** Definitions of which each applies the next one twice. */
const doubling = (count: number): JsonObject => ({
  type: "object",
  properties: { x: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, at === count - 1 ? { type: "string" } : { allOf: [next, next] }];
    }),
  ),
});

// Both end within seconds without the bounds, so that the tests fail then.
const evil = { type: "string", pattern: "^(a+)+$" };
const text = `${"a".repeat(22)}!`;
const DOUBLINGS = 22;

describe("B7 T14 a server's schema", () => {
  it("of an input does not run its regular expressions, and takes a counted number of steps", async () => {
    const schema = { type: "object", properties: { x: evil } };
    expect(
      (await called({ tools: () => [listed({ inputSchema: schema })] }, { x: text })).data?.success,
    ).toBe(true);
    const { data } = await called(
      { tools: () => [listed({ inputSchema: doubling(DOUBLINGS) })] },
      { x: "s" },
    );
    expect(data).toMatchObject({
      success: false,
      result: expect.stringContaining("takes more than 50000 steps"),
    });
  });

  it("of a result does not run its regular expressions, and takes a counted number of steps", async () => {
    const returning = (outputSchema: JsonObject, structuredContent: Json): Hostile => ({
      tools: () => [listed({ outputSchema })],
      call: () => ({ content: [], structuredContent }),
    });
    const fine = await called(returning({ type: "object", properties: { x: evil } }, { x: text }));
    expect(fine.data?.success).toBe(true);
    const { data } = await called(returning(doubling(DOUBLINGS), { x: "s" }));
    expect(data).toMatchObject({ success: false, report: { code: "mcp_unusable_result" } });
  });

  it.each<[string, JsonObject, string]>([
    ["too many values", { enum: Array(20_001).fill(1) }, "more than 20000 values"],
    ["a long name", { properties: { ["a".repeat(1_001)]: {} } }, "at most 1000 characters"],
    ["$dynamicRef", { properties: { x: { $dynamicRef: "#x" } } }, '"$dynamicRef", which is not evaluated'],
    ["a reference to nothing", { properties: { x: { $ref: "#/$defs/x" } } }, "refers to nothing"],
  ])("leaves out a tool whose output schema has %s, with the reason", (_, outputSchema, why) => {
    const one = listed({ outputSchema: { type: "object", ...outputSchema } });
    const info = { name: "it", toolName: "mcp__s__it", description: "", annotations: {} };
    const offered = offeredTool({ options: { name: "s" } } as never, one as never, info as never);
    expect(offered).toEqual({ why: expect.stringContaining(why) });
  });

  it("keeps a tool whose output schema has a pattern of another language", async () => {
    const x = { type: "string", pattern: "(?P<year>[0-9]+)" };
    const { data } = await called({
      tools: () => [listed({ outputSchema: { type: "object", properties: { x } } })],
      call: () => ({ content: [], structuredContent: { x: "1" } }),
    });
    expect(data?.success).toBe(true);
  });

  it("refuses a result with any number of mistakes, and lists the first ten", async () => {
    const items = { type: "array", items: { type: "string" } };
    const { data } = await called({
      tools: () => [listed({ outputSchema: { type: "object", properties: { items } } })],
      call: () => ({ content: [], structuredContent: { items: Array(150_000).fill(1) } }),
    });
    expect(data).toMatchObject({ success: false, report: { code: "mcp_unusable_result" } });
    expect(JSON.stringify(data).length).toBeLessThan(3_000);
  });
});

describe("B7 T14 requests of a server inside its answer", () => {
  const asking = (count: number): Hostile => ({
    tools: () => [listed()],
    call: (_, id) => {
      const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
      const asked = Array.from({ length: count }, (__, at) => event({ id: `s${at}`, method: "ping" }));
      return new Response(`${asked.join("")}${event({ id, result: { content: [] } })}`, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });

  it("are answered, up to eight", async () => {
    expect(await called(asking(8))).toMatchObject({ answers: 8, data: { success: true } });
  });

  it("end the call beyond that, with an unknown outcome", async () => {
    const { answers, data } = await called(asking(500));
    expect(answers).toBeLessThanOrEqual(8);
    expect(data).toMatchObject({ success: false, report: { code: "mcp_outcome_unknown" } });
  });
});
