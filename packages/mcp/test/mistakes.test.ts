// What answers with many mistakes cost. The SDK collects every mistake of each entry.
import { describe, expect, it } from "vitest";
import { callingApp, hostileMcp, listed } from "../../../test/attacks/parts/hostile-mcp.ts";
import { ofType } from "../../../test/support/invariants.ts";
import { protocolJudge, resultKind } from "../src/connect/judge.ts";
import { mcpServer } from "../src/index.ts";
import { authServer, signInStore } from "./support/auth-server.ts";
import { connectTo } from "./support/servers.ts";
import { done, taskServer } from "./support/task-server.ts";
import { calls, resultOf, world } from "./support/world.ts";

const MANY = 20_000;

const many = (entry: unknown): unknown[] => Array(MANY).fill(entry);
const keyed = (entry: unknown) => Object.fromEntries(many(entry).map((one, at) => [`k${at}`, one]));

/** The stored result of a call of `it` with this answer. */
async function called(result: object) {
  const { pawl } = callingApp(hostileMcp({ tools: () => [listed()], call: () => result }));
  const { sessionId } = await pawl.run("a", { userId: "ada", input: "Go" }).result;
  const log = await Array.fromAsync(pawl.store.read(sessionId));
  return ofType(log, "tool_result")[0]?.data;
}

describe("B7 T14 an answer with many mistakes", () => {
  it.each([
    ["content that is nothing", { content: many({}) }],
    [
      "an audience of one text",
      {
        content: [{ type: "text", text: "x", annotations: { audience: many(1) } }],
      },
    ],
    ["files that are not base64", { content: many({ type: "image", mimeType: "image/png", data: "!" }) }],
  ])("fails the call before the SDK has seen it, done and unusable: %s", async (_, result) => {
    const data = await called(result);
    expect(data).toMatchObject({ success: false, report: { code: "mcp_unusable_result" } });
    expect(data?.result).toMatch(
      /cannot be used: it (does not match the protocol: content\.0|has .* not base64)/,
    );
  });

  it("fails a task in few words", async () => {
    const served = taskServer((task) => {
      Object.assign(task, { status: "completed", result: { ...done("x"), content: many({}) } });
    });
    const app = world([connectTo(served)], calls("it"));
    const { sessionId } = await app.say("Go");
    const { report, result } = await resultOf(app, sessionId);
    expect(report).toMatchObject({ code: "mcp_unusable_result" });
    expect(result).toMatch(/content\.0/);
  });
});

describe("B7 T14 the judge of answers", () => {
  it.each([
    [
      "initialize",
      { protocolVersion: "1", serverInfo: { name: "x", version: "1", icons: many(1) }, capabilities: {} },
    ],
    ["server/discover", { supportedVersions: many(1), capabilities: {} }],
    ["tools/call", { content: many({ type: "resource", resource: { uri: "x", blob: "!" } }) }],
    ["resources/read", { contents: many({ uri: "x", blob: "!" }) }],
    [
      "prompts/get",
      { messages: many({ role: "user", content: { type: "audio", mimeType: "x", data: "!" } }) },
    ],
  ])("refuses %s", async (method, result) => {
    const judge = await protocolJudge();
    expect(judge(resultKind(method) ?? "", result)).toMatch(/./);
  });

  it.each([
    ["Tool", { name: "x", inputSchema: { type: "object", required: many(1) } }],
    ["Tool", { name: "x", inputSchema: { type: "object", properties: keyed(Infinity) } }],
    ["Tool", { name: "x", inputSchema: { type: "object", required: Array(10).fill(1) } }],
    ["Resource", { uri: "x", name: "x", icons: many({}) }],
    ["Prompt", { name: "x", arguments: many({}) }],
  ])("refuses an entry of a list: %s", async (kind, entry) => {
    const judge = await protocolJudge();
    expect(judge(kind, entry, true)).toMatch(/./);
  });

  it("refuses a question with many fields that are wrong", async () => {
    const judge = await protocolJudge();
    const params = { message: "?", requestedSchema: { type: "object", properties: keyed(1) } };
    expect(judge("ElicitRequest", { method: "elicitation/create", params })).toMatch(/requestedSchema/);
  });

  it("lets any number of valid entries through, and any JSON where the protocol allows it", async () => {
    const judge = await protocolJudge();
    const content = many({ type: "resource", resource: { uri: "x", blob: "eA" } });
    const structuredContent = { rows: many({ at: Infinity, data: "!" }), keys: keyed(1) };
    expect(judge("CallToolResult", { content, structuredContent })).toBeUndefined();
    const _meta = { type: "image", data: "!", at: Infinity };
    expect(judge("CallToolResult", { content: many({ type: "text", text: "x", _meta }) })).toBeUndefined();
    const schema = { type: "object", properties: { a: { default: { data: "!", blob: "!" } } } };
    expect(judge("ListToolsResult", { tools: many(listed({ inputSchema: schema })) })).toBeUndefined();
  });

  it("leaves a mistake among many valid entries, and short answers, to the SDK", async () => {
    const judge = await protocolJudge();
    expect(judge("ListToolsResult", { tools: [...many(listed()), 1] })).toBeUndefined();
    expect(judge("ListToolsResult", { tools: Array(1_000).fill(1) })).toBeUndefined();
  });
});

describe("B7 T14 an authorization server", () => {
  it.each(["oauth-authorization-server", "/register", "/token"])(
    "whose answer at %s is longer than 100 kB is refused",
    async (place) => {
      const auth = authServer();
      const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
        const response = await auth.fetch(input, init);
        if (!String(input instanceof Request ? input.url : input).includes(place)) return response;
        return Response.json({ ...((await response.json()) as object), more: "x".repeat(100_000) }, response);
      };
      const store = signInStore(false);
      const server = mcpServer({
        name: "test",
        url: auth.url,
        fetch,
        oauth: { redirectUrl: "https://app.example.com/callback", store: () => store },
      });
      const signedIn = async () => {
        const url = await server.signInUrl({ userId: "u1" });
        await server.finishSignIn(auth.visit(url, "u1"), { userId: "u1" });
      };
      await expect(signedIn()).rejects.toMatchObject({ code: "mcp_unauthorized" });
      await server.close();
    },
  );
});
