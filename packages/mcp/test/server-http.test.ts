import { gzipSync } from "node:zlib";
import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { mcpHandler } from "../src/server.ts";

const made = agent({ name: "clerk", model: scriptedModel(() => ({ text: "Hello." })), instructions: "X" });

function served(more: object = {}) {
  const handler = mcpHandler({
    runtime: runtime({ agents: [made], store: memoryStore() }),
    agent: made,
    description: "Answers.",
    stateKey: "k".repeat(40),
    authorize: ({ headers }) => (headers.has("authorization") ? { userId: "ada" } : null),
    ...more,
  });
  return async (init: RequestInit & { headers?: Record<string, string> }) =>
    await handler(
      new Request("http://app/mcp", {
        method: "POST",
        ...init,
        headers: {
          authorization: "Bearer x",
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...init.headers,
        },
      }),
    );
}

const call = (length: number) => {
  const params = { name: "ask", arguments: { message: "x".repeat(length) } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
};

describe("W1 an agent as an MCP server, over HTTP", () => {
  it("takes a body of up to a million bytes, or of up to `maxBodyBytes`", async () => {
    const statusOf = async (ask: ReturnType<typeof served>, body: string | ReadableStream) => {
      const { status, body: stream } = await ask({ body, duplex: "half" } as never);
      await stream?.cancel();
      return status;
    };
    const usual = served();
    expect(await statusOf(usual, call(900_000))).not.toBe(413);
    expect(await statusOf(usual, call(1_000_000))).toBe(413);
    const undeclared = new Blob([call(1_000_000)]).stream();
    expect(await statusOf(usual, undeclared)).toBe(413);
    const small = served({ maxBodyBytes: 1_000 });
    expect(await statusOf(small, call(500))).not.toBe(413);
    expect(await statusOf(small, call(1_000))).toBe(413);
    expect(await statusOf(served({ maxBodyBytes: Number.POSITIVE_INFINITY }), call(5_000_000))).not.toBe(413);
  });

  it("refuses pages of other hosts with 403, and takes programs", async () => {
    const statusOf = async (ask: ReturnType<typeof served>, origin?: string) => {
      const { status, body } = await ask({ body: call(5), headers: origin === undefined ? {} : { origin } });
      await body?.cancel();
      return status;
    };
    const usual = served();
    // A page of a name that its owner points to this machine.
    for (const origin of ["http://evil.example", "http://app", "null", "https://localhost.evil.example"])
      expect([origin, await statusOf(usual, origin)]).toEqual([origin, 403]);
    for (const origin of [undefined, "http://localhost:6274", "http://127.0.0.1"])
      expect(await statusOf(usual, origin)).not.toBe(403);
    const own = served({ origins: ["app.example.com"] });
    expect(await statusOf(own, "https://app.example.com")).not.toBe(403);
    expect(await statusOf(own, "http://localhost:6274")).toBe(403);
  });

  it("names the metadata of its authorization server in a 401, if it has some", async () => {
    const challenge = async (more: object) => {
      const { headers } = await served({ ...more, authorize: () => null })({ body: call(5) });
      return headers.get("www-authenticate");
    };
    const resourceMetadata = "https://app.example.com/.well-known/oauth-protected-resource/mcp";
    expect(await challenge({})).toBe("Bearer");
    expect(await challenge({ resourceMetadata })).toBe(`Bearer resource_metadata="${resourceMetadata}"`);
    expect(() => served({ resourceMetadata: "no address" })).toThrow(/resourceMetadata.* must be a URL/);
  });

  it.each(["method", "name", "taskId", "uri"])(
    "B7 refuses a `%s` above 4,000 characters in few words",
    async (field) => {
      const ask = served();
      const body = (length: number) => {
        const text = "x".repeat(length);
        const [method, params] = field === "method" ? [text, {}] : ["tools/call", { [field]: text }];
        return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      };
      const refused = await ask({ body: body(3_999) });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        error: { code: -32_600, message: `\`${field}\` may have at most 4000 characters of JSON.` },
      });
      expect((await (await ask({ body: body(3_998) })).text()).includes("4000 characters")).toBe(false);
    },
  );

  it("B7 answers a message above `maxInputLength` with the limit, and begins no run", async () => {
    const answerTo = async (length: number, more: object = {}) => {
      const model = scriptedModel(() => ({ text: "Hello." }));
      const clerk = agent({ name: "clerk", model, instructions: "X" });
      const ask = served({
        runtime: runtime({ agents: [clerk], store: memoryStore() }),
        agent: clerk,
        ...more,
      });
      const text = await (await ask({ body: call(length) })).text();
      return { isError: text.includes('"isError":true'), text, requests: model.requests.length };
    };
    expect(await answerTo(100_000)).toMatchObject({ isError: false, requests: 1 });
    const text = expect.stringContaining("The message may have at most 100000 characters.");
    expect(await answerTo(100_001)).toMatchObject({ isError: true, requests: 0, text });
    expect(await answerTo(900_000, { maxInputLength: 900_000 })).toMatchObject({
      isError: false,
      requests: 1,
    });
    expect(() => served({ maxInputLength: 0 })).toThrow(/maxInputLength/);
  });

  it.each<[string, (values: number) => object]>([
    ["metadata", (values) => ({ _meta: { list: Array(values).fill(0) } })],
    ["arguments", (values) => ({ name: "ask", arguments: { message: "Hi", list: Array(values).fill(0) } })],
    ["answers", (values) => ({ name: "ask", inputResponses: { answer: Array(values).fill({}) } })],
  ])("B7 refuses %s of more than 10,000 values before they are validated", async (_field, params) => {
    const ask = served();
    const body = (values: number) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: params(values) });
    expect((await ask({ body: body(9_900) })).status).not.toBe(400);
    const refused = await ask({ body: body(10_000) });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "A message may have at most 10000 values." },
    });
  });

  it("refuses a body that is no JSON, and one that breaks off", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error("The client is gone.")),
    });
    for (const body of ["{", "", broken]) {
      const response = await served()({ body, duplex: "half" } as never);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
    }
  });

  it.each([0, -1, Number.NaN, "1"])("refuses `maxBodyBytes: %s`", (maxBodyBytes) => {
    expect(() => served({ maxBodyBytes })).toThrow(/`maxBodyBytes`.*must be a number of bytes above 0/);
  });

  it("refuses a compressed body, with the coding that is accepted", async () => {
    const headers = { "content-encoding": "gzip" };
    const { status, headers: answered } = await served()({ headers, body: gzipSync(call(1)) });
    expect([status, answered.get("accept-encoding")]).toEqual([415, "identity"]);
  });

  it("sends a challenge with 401, and the methods that it accepts with 405", async () => {
    const ask = served();
    const handler = mcpHandler({
      runtime: runtime({ agents: [made], store: memoryStore() }),
      agent: made,
      description: "Answers.",
      stateKey: "k".repeat(40),
      authorize: () => null,
    });
    const refused = await handler(new Request("http://app/mcp", { method: "POST", body: call(1) }));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      const { status, headers } = await ask({ method });
      expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
  });
});
