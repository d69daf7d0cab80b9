// What a hostile server can send to remoteTools(). More is in `lists.test.ts` and `calls.test.ts`.
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "@pawl/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { type Answer, backend, front, look, looks, sendJson, TOKEN } from "../support/backend.ts";

const fine = sendJson({ result: 1 });
const listing = (...tools: unknown[]) => sendJson({ tools });

async function callWith(execute: Answer, schema: Answer = listing(look), more = {}, input: object = {}) {
  const { url } = await backend(execute, schema);
  const script = [{ tools: [{ name: "look", input: input as JsonObject }] }, { text: "Seen." }];
  const { run, model } = front({ url, timeoutMs: 1_000, ...more }, { script });
  const result = await run().result;
  expect(model.rejected).toEqual([]);
  return { ...result, call: result.actions[0], requests: model.requests };
}

async function refusalOf(schema: Answer): Promise<string> {
  const { url } = await backend(fine, schema);
  const error = await front({ url, schemaTimeoutMs: 1_500 })
    .run()
    .result.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "tools_failed" });
  return (error as Error).message.replace(/^.*remoteTools\(\) for \S+: /, "");
}

const packed = gzipSync(Buffer.alloc(20_000_000, " "));
const bomb: Answer = (_got, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed);

const endless: Answer = (_got, response) => {
  response.writeHead(200);
  const more = () => {
    if (!response.destroyed) response.write(" ".repeat(65_536), () => setImmediate(more));
  };
  more();
};

const dripping: Answer = (_got, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
};

describe("T10 a hostile list of tools", () => {
  it.each<[string, Answer, string]>([
    ["that never ends", endless, "the list of tools has more than 1000000 bytes (`maxResultBytes`)."],
    ["that is a bomb", bomb, "the list of tools has more than 1000000 bytes (`maxResultBytes`)."],
    ["that drips", dripping, "the tool's server has not answered within 1500 ms."],
    [
      "with 5,000 tools",
      listing(...Array.from({ length: 5_000 }, (_, n) => ({ ...look, name: `t${n}` }))),
      "the list of tools is not valid: it has 5000 tools, and at most 128 are used. Choose some with `include`.",
    ],
    [
      "with a description of 900 kB",
      listing({ ...look, description: "x".repeat(900_000) }),
      'the list of tools is not valid: its tool "look" cannot be used: `description` must be a string of up to 20000 characters.',
    ],
    [
      "with a long text for users",
      listing({ ...look, status: { start: "x".repeat(1_001) } }),
      'the list of tools is not valid: its tool "look" cannot be used: `status` must have the texts `start` and `done`, of up to 1000 characters.',
    ],
    [
      "with a time limit of years",
      listing({ ...look, timeout_ms: 1e300 }),
      'the list of tools is not valid: its tool "look" cannot be used: `timeout_ms` must be a number from 1 to 2147483647.',
    ],
    [
      "with a schema that a validator would follow forever",
      listing({
        ...look,
        input_schema: {
          type: "object",
          properties: { a: { $ref: "#/$defs/A" } },
          $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
        },
      }),
      'the list of tools is not valid: its tool "look" cannot be used: The schema of the tool "look" is not valid JSON Schema: "#/$defs/A" leads back to itself without a property or an item in between.',
    ],
    [
      "with a schema of 60,000 levels",
      (_got, response) => {
        const deep = `${'{"not":'.repeat(60_000)}{}${"}".repeat(60_000)}`;
        response.end(`{"tools":[{"name":"look","input_schema":{"type":"object","not":${deep}}}]}`);
      },
      "the list of tools is not valid: it must be a JSON object with a list `tools`.",
    ],
    [
      "with a wrong `ends_run`",
      listing({ ...look, ends_run: "soon" }),
      'the list of tools is not valid: its tool "look" cannot be used: `ends_run` must be one of true, false, active, suspended, completed, error, expired.',
    ],
    [
      "with a wrong `depends_on`",
      listing({ ...look, depends_on: "look" }),
      'the list of tools is not valid: its tool "look" cannot be used: `depends_on` must be a list of the tools\' names.',
    ],
    [
      "with a wrong `max_result_chars`",
      listing({ ...look, max_result_chars: -1 }),
      'the list of tools is not valid: its tool "look" cannot be used: `max_result_chars` must be a number from 1.',
    ],
  ])("%s refuses the run", async (_, schema, message) => {
    expect(await refusalOf(schema)).toBe(message);
  });

  it("stops the process neither by its patterns nor by its definitions", async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `d${n}`);
    const input_schema = {
      type: "object",
      properties: { at: { type: "string", pattern: "^(a+)+$" }, all: { $ref: "#/$defs/d0" } },
      patternProperties: { "^(b+)+$": { type: "number" } },
      additionalProperties: false,
      $defs: Object.fromEntries(
        names.map((name, n) => {
          const others = [n + 1, n * 7, n * 13].map((other) => ({ $ref: `#/$defs/${names[other % 2_000]}` }));
          return [name, { type: "array", prefixItems: others }];
        }),
      ),
    };
    const spentMs = processorTime();
    const more = { maxToolChars: 300_000 };
    const input = { at: `${"a".repeat(40)}!`, [`${"b".repeat(40)}!`]: 1 };
    const { call, requests } = await callWith(fine, listing({ ...look, input_schema }), more, input);
    expect(spentMs()).toBeLessThan(6_000);
    expect(call).toMatchObject({ success: true, result: 1 });
    // The model gets the patterns all the same, and the server checks them.
    expect(requests[0]?.tools?.[0]?.input_schema).toMatchObject({
      properties: { at: { pattern: "^(a+)+$" } },
      patternProperties: { "^(b+)+$": { type: "number" } },
    });
  });

  it("sets no prototype, and may name a tool like a field of every object", async () => {
    const text =
      '{"__proto__":{"polluted":1},"tools":[{"name":"constructor","__proto__":{"idempotent":true},"input_schema":' +
      '{"type":"object","properties":{"__proto__":{"type":"number"}},"$defs":{"__proto__":{"type":"string"}}}}]}';
    const { url, calls } = await backend(sendJson({}, 503), (_got, response) => void response.end(text));
    const input = JSON.parse('{"__proto__":"text"}') as JsonObject;
    const script = [
      {
        tools: [
          { name: "constructor", input },
          { name: "constructor", input: {} },
        ],
      },
      { text: "Seen." },
    ];
    const { actions } = await front({ url }, { script }).run().result;
    expect(actions[0]?.result).toContain("__proto__: Instance type");
    expect(actions[1]?.result).toContain("(503)");
    expect(calls()).toHaveLength(1);
    expect(({} as JsonObject).polluted).toBeUndefined();
  });
});

describe("T10 a hostile response to a call", () => {
  it.each<[string, Answer, string | RegExp]>([
    ["that never ends", endless, "The tool did its work, but its result has more than 1000000 bytes."],
    ["that is a bomb", bomb, "The tool did its work, but its result has more than 1000000 bytes."],
    ["that drips", dripping, /is unknown: the tool's server has not answered within 1000 ms\./],
    [
      "that is not what its encoding says",
      (_got, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("no"),
      /is unknown: the connection to the tool's server broke off/,
    ],
    [
      "with too many levels",
      (_got, response) => response.end(`{"result":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
      /is unknown: the tool's server answered with something other than JSON/,
    ],
    [
      "B7 with too many values",
      (_got, response) => response.end(`{"result":[${"0,".repeat(100_000)}0]}`),
      "The tool did its work, but its result has more than 100000 values.",
    ],
    ["without a body", (_got, response) => response.writeHead(204).end(), /is unknown: .* other than JSON/],
    [
      "304",
      (_got, response) => response.writeHead(304).end(),
      "Not run: the tool's server refused the request (304).",
    ],
    [
      "499",
      sendJson({ error: { code: "aborted", message: "…" } }, 499),
      /^The outcome of this call is unknown: the request was cancelled on its way\./,
    ],
  ])("%s", async (_, execute, message) => {
    const { call, stop } = await callWith(execute);
    expect([call?.success, stop.type]).toEqual([false, "end_turn"]);
    expect(call?.result).toMatch(message);
  });

  it.each([
    ["headers that never end", "HTTP/1.1 200 OK\r\n", "x-a: b\r\n"],
    [
      "a switch of protocols",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n",
      "",
    ],
    ["only 100s", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100), ""],
    ["another protocol", "SSH-2.0-x\r\n", ""],
  ])("with %s", async (_, begin, more) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("data", (data) => {
        if (String(data).includes("/tools/schema")) {
          const body = JSON.stringify({ tools: [look] });
          socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
          return;
        }
        socket.write(begin);
        const timer = setInterval(() => socket.write(more), 20);
        socket.on("close", () => clearInterval(timer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const { run } = front({ url: `http://127.0.0.1:${port}`, timeoutMs: 500 });
    const { actions, stop } = await run().result;
    expect(actions[0]?.result).toMatch(
      /^The outcome of this call is unknown: the (connection to the )?tool's server/,
    );
    expect(stop.type).toBe("end_turn");
  });

  it("B7 with too many values or levels is charged all the same, and its error is read", async () => {
    const report = { cost_usd: 0.5, summary: "Looked." };
    const many = Array(150_000).fill(0);
    const { call, costUsd } = await callWith(sendJson({ result: many, report }));
    expect([call?.success, costUsd]).toEqual([false, 0.5]);
    expect(call?.result).toBe("The tool did its work, but its result has more than 100000 values.");
    const deep = await callWith((_got, response) => {
      response.end(`{"result":${"[".repeat(2_000)}${"]".repeat(2_000)},"report":${JSON.stringify(report)}}`);
    });
    expect([deep.call?.success, deep.costUsd]).toEqual([false, 0.5]);
    const error = { code: "broken", message: `It broke with ${TOKEN}.` };
    const failed = await callWith(sendJson({ error, report, trace: many }));
    expect([failed.call?.success, failed.costUsd]).toEqual([false, 0.5]);
    expect(failed.call?.result).toMatch(/^It broke with (?!tok_)/);
    const huge = await callWith(sendJson({ result: 1, report: { ...report, sources: many } }));
    expect([huge.call?.success, huge.costUsd]).toEqual([false, 0]);
  });

  it("with a report that is not valid fails no call, and counts only what is valid", async () => {
    const report = {
      cost_usd: -5,
      connector: 3,
      fragments: Array(5_000).fill("f"),
      sources: [{ id: "f", title: "x", url: "javascript:alert(1)" }],
      summary: "x".repeat(5_000),
    };
    const { call, costUsd } = await callWith(sendJson({ result: 1, report }));
    expect([call?.success, costUsd]).toEqual([true, 0]);
    const { call: other, costUsd: infinite } = await callWith(
      sendJson({ result: 1, report: { cost_usd: 1e308 } }),
    );
    expect([other?.success, infinite]).toEqual([true, 0]);
  });

  it("does not send the credentials elsewhere, also where the list redirects", async () => {
    const other = await backend(fine);
    const location = `${other.url}/tools/schema`;
    expect(await refusalOf((_got, response) => response.writeHead(302, { location }).end())).toMatch(
      "redirects",
    );
    expect(other.got).toEqual([]);
  });
});

it("T10 a list that changes between two calls of a run is read again for the next run only", async () => {
  const { url, routes, lists } = await backend(fine);
  const { run, model } = front({ url }, { script: [...looks(), { text: "Hi." }] });
  routes.execute = (got, response) => {
    routes.schema = listing(look, { ...look, name: "gaze" });
    sendJson({ error: { code: "invalid_tool_input", message: "at: is missing" } }, 422)(got, response);
  };
  const { actions, sessionId } = await run().result;
  expect(actions[0]?.result).toBe("Not run: the tool's server refused the request (422): at: is missing");
  await run({ sessionId }).result;
  expect([lists().length, model.requests.map(({ tools }) => tools?.length)]).toEqual([2, [1, 1, 2]]);
});
