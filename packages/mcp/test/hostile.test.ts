import { describe, expect, it } from "vitest";
import * as z from "zod";
import { processorTime } from "../../../test/support/processor-time.ts";
import type { McpServerOptions } from "../src/index.ts";
import { connectTo, type Register, serve } from "./support/servers.ts";
import { done, elicit, taskServer } from "./support/task-server.ts";
import { calls, resultOf, settle, text, world } from "./support/world.ts";

type Rpc = { id?: unknown; method?: string; params?: { cursor?: string } };

const one: Register = (server) => void server.registerTool("it", {}, async () => text("ran"));

/** A server that answers one method with this JSON text, whatever the SDK thinks of it. */
const answering = (wanted: string, json: (rpc: Rpc) => string, register = one) =>
  serve(register, (_, body) => {
    const rpc: Rpc = body === "" ? {} : JSON.parse(body);
    if (rpc.method !== wanted) return undefined;
    const result = `{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"result":${json(rpc)}}`;
    return new Response(result, { headers: { "content-type": "application/json" } });
  });

const complete = (rest: string) => `{"resultType":"complete",${rest}}`;

/** The result of a call of `it` whose answer is this JSON text. */
async function callWith(json: string, options: Partial<McpServerOptions<never>> = {}) {
  const served = answering("tools/call", () => json);
  const app = world([connectTo(served, options)], calls("it"));
  const { sessionId, stop } = await app.say("Go");
  expect(stop.type).toBe("end_turn");
  return { ...(await resultOf(app, sessionId)), app, times: served.calls().length };
}

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a hostile result", () => {
  it.each([
    ["50 MB of text", complete(`"content":[{"type":"text","text":"${"x".repeat(50_000_000)}"}]`)],
    ["100,000 levels", complete(`"content":[],"structuredContent":{"a":${deep(100_000)}}`)],
    ["5,000 levels", complete(`"content":[],"structuredContent":{"a":${deep(5_000)}}`)],
    ["100,001 values", complete(`"content":[],"structuredContent":{"a":[${"[],".repeat(99_999)}[]]}`)],
    ["content of an unknown kind", complete('"content":[{"type":"video","data":"x"}]')],
    ["content that is no list", complete('"content":"x"')],
    ["no type", '{"content":[]}'],
    ["an unknown type", '{"resultType":"surprise","content":[]}'],
  ])("F24 T14 of %s is done and unusable, and never repeated", async (_, json) => {
    const { success, report, times } = await callWith(json);
    expect({ success, code: report?.code, times }).toEqual({
      success: false,
      code: "mcp_unusable_result",
      times: 1,
    });
  });

  it("T14 of 100,000 structured values is taken", async () => {
    const list = `[${"[],".repeat(99_998)}[]]`;
    expect(await callWith(complete(`"content":[],"structuredContent":{"a":${list}}`))).toMatchObject({
      success: true,
    });
  });

  it("F24 T14 of nothing has an unknown outcome", async () => {
    expect(await callWith("null")).toMatchObject({ report: { code: "mcp_outcome_unknown" }, times: 1 });
  });

  it("F24 T14 with keys of prototypes changes nothing but itself", async () => {
    const { success, result } = await callWith(
      complete(
        '"content":[],"structuredContent":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      ),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    if (success) expect(JSON.stringify(result)).toContain("polluted");
  });

  it("F24 T14 that is a failure of 5 MB does not fill the log or the model's context", async () => {
    const { success, app } = await callWith(
      complete(`"isError":true,"content":[{"type":"text","text":"${"x".repeat(5_000_000)}"}]`),
    );
    expect(success).toBe(false);
    expect(JSON.stringify(app.model.requests.at(-1)).length).toBeLessThan(200_000);
  });

  it("F24 T14 of 100,000 blocks is read in time", async () => {
    const blocks = Array.from({ length: 100_000 }, () => '{"type":"text","text":"x"}').join(",");
    const spentMs = processorTime();
    const { success } = await callWith(complete(`"content":[${blocks}]`));
    expect(success).toBe(true);
    expect(spentMs()).toBeLessThan(5_000);
  });
});

describe("a hostile list", () => {
  const listed = (tools: (rpc: Rpc) => string, options: Partial<McpServerOptions<never>> = {}) => {
    const served = answering("tools/list", (rpc) =>
      complete(`"ttlMs":0,"cacheScope":"private",${tools(rpc)}`),
    );
    return { served, app: world([connectTo(served, options)], [{ text: "Ok." }]) };
  };
  const tool = (name: string, more = "") =>
    `{"name":${JSON.stringify(name)},"inputSchema":{"type":"object"}${more}}`;

  it("T14 that never ends is not read for ever", async () => {
    let pages = 0;
    const { app } = listed(() => {
      pages += 1;
      return `"tools":[${tool(`t${pages}`)}],"nextCursor":"more"`;
    });
    await app.say("Go");
    expect(pages).toBeLessThan(100);
    expect(app.errors).toHaveLength(1);
  });

  it("T14 of many large pages is not kept", async () => {
    let pages = 0;
    const { app } = listed(({ params }) => {
      pages += 1;
      const page = Number(params?.cursor ?? 0);
      return `"tools":[${tool(`t${page}`, `,"description":"${"x".repeat(2_000_000)}"`)}],"nextCursor":"${page + 1}"`;
    });
    await app.say("Go");
    expect(pages).toBeLessThan(10);
    expect(app.errors).toEqual([expect.stringMatching(/too long/)]);
  });

  it("T14 of 20,000 tools is refused, and the run goes on", async () => {
    const { app } = listed(
      () => `"tools":[${Array.from({ length: 20_000 }, (_, n) => tool(`t${n}`)).join(",")}]`,
    );
    const { stop } = await app.say("Go");
    expect(stop.type).toBe("end_turn");
    expect(app.errors).toEqual([expect.stringMatching(/too many tools|too long/)]);
  });

  it("T14 with names of prototypes and names that become the same is no danger to the run", async () => {
    // Both become the same name: their hashes are equal.
    const twins = ["+#%%?+!!", "!???!!?!"];
    const names = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", ...twins];
    const { app } = listed(() => `"tools":[${names.map((name) => tool(name)).join(",")}]`);
    const { stop } = await app.say("Go");
    expect(stop.type).toBe("end_turn");
    const sent = app.model.requests[0]?.tools?.map(({ name }) => name) ?? [];
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toContain("mcp__test____proto__");
    expect(app.errors.join()).toMatch(/name is taken/);
  });

  it("T14 with descriptions of 1 MB is cut", async () => {
    const { app } = listed(() => `"tools":[${tool("a", `,"description":"${"x".repeat(1_000_000)}"`)}]`);
    await app.say("Go");
    expect(JSON.stringify(app.model.requests[0]?.tools).length).toBeLessThan(10_000);
  });

  it("T14 with a schema of 100,000 levels leaves out the tool or the server, and the run goes on", async () => {
    const schema = `{"type":"object","properties":{"a":${'{"items":'.repeat(100_000)}{}${"}".repeat(100_000)}}}`;
    const { app } = listed(() => `"tools":[{"name":"a","inputSchema":${schema}}]`);
    const { stop } = await app.say("Go");
    expect(stop.type).toBe("end_turn");
  });
});

describe("a hostile schema", () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, {}]));

  it("B7 T14 of 20,001 values is left out with this reason, and the tools beside it stay", async () => {
    const schema = { properties: fields(9_900), required: Array(10_200).fill("z") };
    const tools = [
      { name: "large", inputSchema: { type: "object", ...schema } },
      { name: "small", inputSchema: { type: "object", properties: { a: {} }, required: ["a", "z", "a"] } },
    ];
    const served = answering("tools/list", () =>
      complete(`"ttlMs":0,"cacheScope":"private","tools":${JSON.stringify(tools)}`),
    );
    const app = world([connectTo(served)], [{ text: "Ok." }]);
    await app.say("Go");
    expect(app.errors).toEqual([`test: The tool "large": its schema has more than 20000 values.`]);
    expect(app.model.requests[0]?.tools).toMatchObject([
      { name: "mcp__test__small", input_schema: { properties: { a: {} }, required: ["a"] } },
    ]);
  });
});

describe("a hostile question", () => {
  const asks = (requests: string, state = '"s"') =>
    `{"resultType":"input_required","inputRequests":${requests},"requestState":${state}}`;
  const form = JSON.stringify(elicit("Sure?"));

  it("F24 with a state of 5 MB, or 5,000 questions, is refused and not stored", async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `"q${n}":${form}`).join(",");
    for (const json of [asks(`{"q":${form}}`, JSON.stringify("x".repeat(5_000_000))), asks(`{${many}}`)]) {
      const { success, app, report } = await callWith(json);
      expect({ success, code: report?.code }).toEqual({ success: false, code: "mcp_refused" });
      expect(app.model.requests).toHaveLength(2);
    }
  });

  it.each([
    ["without parameters", undefined],
    ["with a list of parameters", []],
    ["with a number for a message", { message: 5, requestedSchema: {} }],
    ["with a message that has no text", { message: { toString: null }, requestedSchema: {} }],
    ["with a message without end, nearly", { message: JSON.parse(deep(3_000)), requestedSchema: {} }],
    ["with a list for a form", { message: "?", requestedSchema: [] }],
    ["with a number for a page", { message: "?", mode: "url", url: 5 }],
    ["of a mode that is a list", { message: "?", mode: [] }],
  ])("F24 %s is refused by name", async (_, params) => {
    const { success, report, result } = await callWith(
      asks(JSON.stringify({ q: { method: "elicitation/create", params } })),
    );
    expect({ success, code: report?.code }).toEqual({ success: false, code: "mcp_refused" });
    expect(result).toMatch(
      /^"test" asks for input that cannot be given: (its|the message of its|the `url` of its) /,
    );
  });

  it.each([
    "https://accounts.google.com@evil.example/",
    "https://user:pass@evil.example/",
    "https://evil.example\\@google.com",
    "https://evil.example/\nhttps://google.com",
    "https://a\u202emoc.elgoog",
    "https://google.com\u0000.evil.example",
    "https://",
    "https://%zz",
    "http://evil.example/",
    "http://169.254.169.254/latest",
    "javascript:alert(1)",
  ])("F24 with the page %j is refused", async (url) => {
    const question = { method: "elicitation/create", params: { mode: "url", message: "Sign in", url } };
    const { success, report, result } = await callWith(asks(JSON.stringify({ q: question })));
    expect({ success, code: report?.code }).toEqual({ success: false, code: "mcp_refused" });
    expect(result).toContain("the `url` of its question must be an https address");
  });

  it("F24 names the host of its page, and hides nothing in its words", async () => {
    const requestedSchema = {
      type: "object",
      properties: { ok: { type: "boolean", title: "Sure?\u200b" } },
    };
    const shown = async (params: object) => {
      const served = answering("tools/call", () =>
        asks(JSON.stringify({ q: { method: "elicitation/create", params } })),
      );
      const { pending } = await world([connectTo(served)], calls("it")).say("Go");
      return pending[0]?.payload;
    };
    const page = {
      mode: "url",
      message: "Sign\u{e0041} in\u202e",
      url: "https://MÜNCHEN.example:443/a b".replace(" ", ""),
    };
    expect(await shown(page)).toMatchObject({
      message: "Sign in",
      url: "https://xn--mnchen-3ya.example/ab",
      host: "xn--mnchen-3ya.example",
    });
    const own = { mode: "url", message: "Sign in", url: "http://localhost:3000/in" };
    expect(await shown(own)).toMatchObject({ host: "localhost:3000" });
    expect(await shown({ message: "Really?\u2066", requestedSchema })).toMatchObject({
      message: "Really?",
      requestedSchema: { properties: { ok: { title: "Sure?" } } },
    });
  });

  it.each([{ type: "string" }, {}, { type: ["object"] }])(
    "F24 with the form %j is refused",
    async (requestedSchema) => {
      const question = { method: "elicitation/create", params: { message: "?", requestedSchema } };
      const { success, report } = await callWith(asks(JSON.stringify({ q: question })));
      expect({ success, code: report?.code }).toEqual({ success: false, code: "mcp_refused" });
    },
  );

  it("F24 under a key of prototypes is asked and answered like any other", async () => {
    const served = answering("tools/call", () => asks(`{"__proto__":${form}}`));
    const app = world([connectTo(served)], calls("it"));
    const { sessionId, pending } = await app.say("Go");
    if (pending.length === 0) return;
    await app.answer(sessionId, { action: "accept", content: { ok: true } });
    const [, second] = served.bodies.filter(({ method }) => method === "tools/call");
    expect(Object.keys(second?.params?.inputResponses ?? {})).toEqual(["__proto__"]);
    await app.pawl.stop(sessionId, { userId: "u1" });
  });

  it("F24 of a task under keys of prototypes, again and again, comes to an end", async () => {
    let round = 0;
    const served = taskServer((task) => {
      round += 1;
      Object.assign(task, {
        status: "input_required",
        inputRequests: { [`constructor${round}`]: elicit("?") },
      });
    });
    const app = world([connectTo(served, { maxQuestions: 3 })], calls("it"));
    const { sessionId } = await app.begin("Go");
    for (let n = 0; n < 3; n += 1) {
      expect(await settle(app, sessionId)).toMatchObject({ kind: "elicitation" });
      await app.answer(sessionId, { action: "decline" });
    }
    await settle(app, sessionId);
    expect(await resultOf(app, sessionId)).toMatchObject({ result: expect.stringMatching(/3 times/) });
  });
});

describe("a flood", () => {
  it.each([
    [10_000, true],
    [20_000, false],
  ])("B7 T14 of %d notes on progress does not hold up the process", async (times, succeeds) => {
    const served = serve((server) => {
      server.registerTool("it", {}, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken as number;
        for (let progress = 1; progress <= times; progress += 1)
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
        return text("ran");
      });
    });
    const app = world([connectTo(served)], calls("it"));
    const spentMs = processorTime();
    const { sessionId } = await app.say("Go");
    expect((await resultOf(app, sessionId)).success).toBe(succeeds);
    expect(spentMs()).toBeLessThan(10_000);
  });

  it("T14 L9 of calls, of which some are stopped, leaves the others alone", async () => {
    const stopped = Promise.withResolvers<void>();
    const served = serve((server) => {
      server.registerTool("it", { inputSchema: z.object({}) }, async () => {
        await stopped.promise;
        return text("ran");
      });
    });
    const server = connectTo(served, { concurrency: 2 });
    const apps = Array.from({ length: 8 }, () => world([server], calls("it")));
    const runs = apps.map((app) => app.pawl.run("tester", { userId: "u1", input: "Go" }));
    const starts = await Promise.all(runs.map((run) => run.started));
    await expect.poll(() => served.calls().length).toBeGreaterThan(0);
    for (const [n, app] of apps.entries())
      if (n % 2 === 1) await app.pawl.stop(starts[n]?.sessionId ?? "", { userId: "u1" });
    stopped.resolve();
    const stops = await Promise.all(runs.map(async (run) => (await run.result).stop.type));
    expect(stops.filter((_, n) => n % 2 === 0)).toEqual(Array(4).fill("end_turn"));
    for (const [n, app] of apps.entries())
      if (n % 2 === 0)
        expect(await resultOf(app, starts[n]?.sessionId ?? "")).toMatchObject({ success: true });
  });

  it("F24 of tasks is polled no faster than the server wants", async () => {
    const served = taskServer(
      (task, times) => {
        if (times === 1) Object.assign(task, { status: "completed", result: done("x") });
      },
      { pollIntervalMs: 0 },
    );
    const app = world([connectTo(served)], calls("it"));
    const begin = performance.now();
    await app.say("Go");
    expect(performance.now() - begin).toBeGreaterThan(490);
  });
});
