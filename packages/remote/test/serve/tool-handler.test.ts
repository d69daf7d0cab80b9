import { type ToolContext, tool } from "@pawl/core";
import { toolHandler } from "@pawl/remote/server";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { conditionalRequests } from "../../../../test/support/conditional-requests.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { jsonOf, served } from "../support/served.ts";

interface Deps {
  name: string;
}

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number(), b: z.number().default(1) }).meta({ title: "AddInput" }),
  idempotent: true,
  execute: ({ a, b }) => a + b,
});
const whoami = tool({
  name: "whoami",
  description: "Says who calls.",
  input: z.object({}),
  timeoutMs: 5_000,
  status: { start: "Looking" },
  execute: (_, { deps, userId, caller, credentials, idempotencyKey }: ToolContext<Deps>) => ({
    name: deps.name,
    userId,
    role: caller.role ?? null,
    hasToken: typeof credentials === "string",
    idempotencyKey,
  }),
});
const fail = tool({
  name: "fail",
  description: "Fails.",
  input: z.object({ text: z.string() }),
  execute: ({ text }, { report }) => {
    report({ costUsd: 0.25, connector: "db" });
    throw Object.assign(new Error(text), { code: "ENOENT" });
  },
});

const authorize = (request: Request) => {
  const token = request.headers.get("authorization")?.match(/^Bearer (of-\w+)/)?.[1];
  return token === undefined
    ? null
    : { userId: token.slice(3), caller: { role: "player" }, credentials: `${token}-0123456789abc`, more: 1 };
};

const make = (more = {}) =>
  toolHandler({
    tools: [add, whoami, fail],
    authorize,
    deps: ({ userId }) => ({ name: userId.toUpperCase() }),
    basePath: "/api/v1/coach",
    ...more,
  });

const AUTH = { authorization: "Bearer of-ada", "content-type": "application/json" };

async function get(
  serve: (request: Request) => Promise<Response>,
  path: string,
  headers = {},
  method = "GET",
) {
  const init = { method, headers: { ...AUTH, ...headers } };
  return await serve(new Request(`http://h/api/v1/coach${path}`, init));
}

async function execute(
  serve: (request: Request) => Promise<Response>,
  body: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const response = await serve(
    new Request("http://h/api/v1/coach/tools/execute", {
      method: "POST",
      headers: { ...AUTH, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    }),
  );
  return { status: response.status, headers: response.headers, body: await jsonOf(response) };
}

describe("T10 GET tools/schema", () => {
  it("lists the tools with plain schemas and a version", async () => {
    const response = await get(make(), "/tools/schema");
    expect(response.status).toBe(200);
    const { tools, version } = await jsonOf(response);
    expect(version).toMatch(/^[0-9a-f]{16}$/);
    expect(tools[0]).toEqual({
      name: "add",
      description: "Adds.",
      input_schema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
        required: ["a"],
      },
      idempotent: true,
    });
    expect(tools[1]).toMatchObject({ name: "whoami", timeout_ms: 5_000, status: { start: "Looking" } });
  });

  it("answers 304 as long as the version stays, and another version for other tools", async () => {
    const first = await get(make(), "/tools/schema");
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(first.headers.get("vary")).toBe("authorization, cookie");
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await get(make(), "/tools/schema", { "if-none-match": tag });
      expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    }
    const other = await get(make({ tools: [add] }), "/tools/schema", { "if-none-match": etag });
    expect(other.status).toBe(200);
  });

  it.each(conditionalRequests)(
    "answers by the rules of HTTP to a request with %s",
    async (_, headers, status) => {
      const serve = make();
      const whole = await get(serve, "/tools/schema");
      const etag = whole.headers.get("etag") ?? "";
      for (const method of ["GET", "HEAD"]) {
        const answer = await get(serve, "/tools/schema", headers(etag), method);
        expect(answer.status).toBe(status);
        if (status !== 412)
          for (const name of ["etag", "cache-control", "vary"])
            expect(answer.headers.get(name)).toBe(whole.headers.get(name));
        expect((await answer.text()) === "").toBe(method === "HEAD" || status === 304);
      }
    },
  );

  it("answers conditions about the document, which has no tag", async () => {
    const serve = make();
    expect((await get(serve, "/openapi.json", { "if-none-match": "*" })).status).toBe(304);
    expect((await get(serve, "/openapi.json", { "if-match": '"a"' })).status).toBe(412);
    expect((await get(serve, "/openapi.json", {}, "HEAD")).status).toBe(200);
  });

  it("names the methods that a path accepts", async () => {
    const serve = make();
    const answer = async (path: string, method: string) => {
      const { status, headers } = await get(serve, path, {}, method);
      return [status, headers.get("allow")];
    };
    expect(await answer("/tools/schema", "DELETE")).toEqual([405, "GET, HEAD"]);
    expect(await answer("/openapi.json", "POST")).toEqual([405, "GET, HEAD"]);
    expect(await answer("/tools/execute", "HEAD")).toEqual([405, "POST"]);
  });

  it("F19 lists and runs the tools of the user", async () => {
    const serve = make({ tools: ({ userId }: { userId: string }) => (userId === "ada" ? [add] : []) });
    const asBob = { authorization: "Bearer of-bob" };
    expect((await jsonOf(await get(serve, "/tools/schema"))).tools).toHaveLength(1);
    expect((await jsonOf(await get(serve, "/tools/schema", asBob))).tools).toEqual([]);
    const call = { tool_name: "add", tool_input: { a: 1 } };
    expect(await execute(serve, call)).toMatchObject({ status: 200 });
    expect(await execute(serve, call, { headers: asBob })).toMatchObject({
      status: 404,
      body: { error: { code: "unknown_tool", message: 'There is no tool named "add".' } },
    });
  });
});

describe("T10 POST tools/execute", () => {
  it("runs a tool for the user of the token, with the key of the call", async () => {
    const { status, body } = await execute(
      make(),
      { tool_name: "whoami", tool_input: {} },
      { headers: { "idempotency-key": "s1:4:c1" } },
    );
    expect([status, body]).toEqual([
      200,
      {
        tool_name: "whoami",
        result: { name: "ADA", userId: "ada", role: "player", hasToken: true, idempotencyKey: "s1:4:c1" },
      },
    ]);
  });

  it("answers 200 with the error of a tool that throws, and what it reported", async () => {
    const text = "no file for of-ada-0123456789abc";
    expect(await execute(make(), { tool_name: "fail", tool_input: { text } })).toMatchObject({
      status: 200,
      body: {
        tool_name: "fail",
        error: { code: "ENOENT", message: "no file for …" },
        report: { cost_usd: 0.25, connector: "db" },
      },
    });
  });

  it.each<[string, number, string, unknown, Record<string, string>?]>([
    ["input that does not match", 422, "invalid_tool_input", { tool_name: "add", tool_input: { a: "x" } }],
    ["an unknown tool", 404, "unknown_tool", { tool_name: "constructor", tool_input: {} }],
    ["bad JSON", 400, "invalid_input", "{"],
    ["a body that is no object", 400, "invalid_input", [1]],
    ["no tool's name", 400, "invalid_input", { tool_input: {} }],
    ["no input", 400, "invalid_input", { tool_name: "add" }],
    ["an input that is no object", 400, "invalid_input", { tool_name: "add", tool_input: [] }],
    ["a wrong key", 400, "invalid_input", { tool_name: "add", tool_input: {} }, { "idempotency-key": "a b" }],
    ["another content type", 415, "invalid_input", "a=1", { "content-type": "text/plain" }],
    [
      "a compressed body",
      415,
      "invalid_input",
      { tool_name: "add", tool_input: { a: 1 } },
      { "content-encoding": "gzip" },
    ],
    ["no token", 401, "unauthorized", { tool_name: "add", tool_input: {} }, { authorization: "" }],
    [
      "a wrong token",
      401,
      "unauthorized",
      { tool_name: "add", tool_input: {} },
      { authorization: "Bearer x" },
    ],
    ["a large body", 413, "too_large", { tool_name: "add", tool_input: { a: "x".repeat(1_000_000) } }],
  ])("refuses %s with %i %s", async (_, status, code, body, headers = {}) => {
    const refused = await execute(make(), body, { headers });
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    expect(refused.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    const isCoded = headers["content-encoding"] !== undefined;
    expect(refused.headers.get("accept-encoding")).toBe(isCoded ? "identity" : null);
    expect(refused.headers.get("accept")).toBe(status === 415 && !isCoded ? "application/json" : null);
    expect(refused.body.error.message).toMatch(/\w.*\.$|expected number, received string$/);
    expect(refused.headers.get("cache-control")).toBe("no-store");
  });

  it("says which field does not match", async () => {
    const { body } = await execute(make(), { tool_name: "add", tool_input: { a: "x" } });
    expect(body.error.message).toBe(
      "The input does not match the tool's schema: a: Invalid input: expected number, received string",
    );
  });

  it("answers 504 when the tool takes too long, and aborts the tool", async () => {
    let reason: unknown;
    const slow = tool({
      name: "slow",
      description: "",
      input: z.object({}),
      execute: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))),
    });
    const { status, headers, body } = await execute(make({ tools: [slow], timeoutMs: 20 }), {
      tool_name: "slow",
      tool_input: {},
    });
    expect([status, body.error.code, headers.get("x-should-retry")]).toEqual([504, "timed_out", "false"]);
    expect(reason).toMatchObject({ name: "TimeUp", message: "The tool took longer than 20 ms." });
  });

  it("answers with an error for a result that is too large", async () => {
    const long = tool({ name: "long", description: "", input: z.object({}), execute: () => "é".repeat(600) });
    const serve = make({ tools: [long], maxResultBytes: 1_000 });
    expect(await execute(serve, { tool_name: "long", tool_input: {} })).toMatchObject({
      status: 200,
      body: { error: { code: "result_too_large", message: expect.stringContaining("did its work") } },
    });
  });

  it("L9 aborts the tool when the client disconnects", async () => {
    let reason: unknown;
    const started = Promise.withResolvers<void>();
    const slow = tool({
      name: "slow",
      description: "",
      input: z.object({}),
      execute: (_, { signal }) => {
        started.resolve();
        return new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason)));
      },
    });
    const url = await served(make({ tools: [slow], basePath: "" }));
    const control = new AbortController();
    const body = JSON.stringify({ tool_name: "slow", tool_input: {} });
    const called = fetch(`${url}/tools/execute`, {
      method: "POST",
      headers: AUTH,
      body,
      signal: control.signal,
    });
    await started.promise;
    control.abort();
    await expect(called).rejects.toThrow("abort");
    await expect.poll(() => reason).toBeDefined();
  });

  it("W5 answers 500 without the cause, and reports it, if authorize or deps fail", async () => {
    const onError = vi.fn();
    const broken = () => {
      throw new Error("db password is hunter2");
    };
    for (const more of [
      { authorize: broken },
      { deps: broken },
      { tools: () => [add, add] },
      { authorize: () => ({}) },
      { authorize: () => ({ userId: "" }) },
    ]) {
      const { status, body } = await execute(make({ ...more, onError }), {
        tool_name: "add",
        tool_input: { a: 1 },
      });
      expect([status, body.error.code]).toEqual([500, "internal"]);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
    expect(onError).toHaveBeenCalledTimes(5);
  });

  it("B8 W5 answers 500 in the same way if onError throws", async () => {
    expectPrinted("pawl: onError failed: no log");
    const fails = (message: string) => () => {
      throw new Error(message);
    };
    const serve = make({ authorize: fails("no database"), onError: fails("no log") });
    expect(await execute(serve, {})).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
  });

  it("sends a response of authorize as it is", async () => {
    const serve = make({ authorize: () => Response.json({ own: true }, { status: 403 }) });
    expect(await execute(serve, {})).toMatchObject({ status: 403, body: { own: true } });
  });
});

it("T10 answers other paths and methods with 404 and 405", async () => {
  const serve = make();
  const missing = await serve(new Request("http://h/api/tools/schema"));
  expect([missing.status, (await jsonOf(missing)).error.message]).toEqual([
    404,
    "No such route: GET /api/tools/schema. This handler serves /api/v1/coach/tools/schema, /api/v1/coach/tools/execute and /api/v1/coach/openapi.json. Check `basePath`, or the client's `url`.",
  ]);
  const wrong = await get(serve, "/tools/execute");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await serve(new Request("http://h/api/v1/coachx/tools/schema", { headers: AUTH }))).status).toBe(
    404,
  );
});
