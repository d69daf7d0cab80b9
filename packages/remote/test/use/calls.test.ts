import { tool } from "@pawl/core";
import { toolHandler } from "@pawl/remote/server";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Answer, backend, front, look, looks, sendJson, TOKEN } from "../support/backend.ts";
import { served } from "../support/served.ts";

const idempotent = sendJson({ tools: [{ ...look, idempotent: true }] });

const sources = [{ id: "f1", title: "First", url: "https://stats.example/1" }];

describe("T10 remoteTools()", () => {
  it("calls a tool of toolHandler() for the run's user, with the call's key, and counts its cost", async () => {
    const seen: unknown[] = [];
    const remote = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.string() }),
      execute: ({ at }, { userId, idempotencyKey, report }) => {
        seen.push([userId, idempotencyKey]);
        report({ costUsd: 0.25, connector: "stats", fragments: ["f1"], sources, summary: "One" });
        return { at, boost: [1, 2] };
      },
    });
    const serve = toolHandler({
      tools: [remote],
      authorize: ({ headers }) =>
        headers.get("authorization") === `Bearer ${TOKEN}` ? { userId: "bo" } : null,
    });
    const { run, logOf, model, store } = front({ url: await served(serve) });
    await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
    const { actions, costUsd, sessionId } = await run({ sessionId: "s1" }).result;
    expect(actions[0]).toMatchObject({ success: true, result: { at: "it", boost: [1, 2] } });
    expect(seen).toEqual([["bo", expect.stringMatching(/^s1:\d+:.+$/)]]);
    expect(costUsd).toBe(0.25);
    const [result] = (await logOf(sessionId)).filter(({ type }) => type === "tool_result");
    const facts = { connector: "stats", fragments: ["f1"], sources, summary: "One" };
    expect(result?.data).toMatchObject({ report: facts });
    expect(model.requests[0]?.tools?.[0]).toMatchObject({ name: "look", description: "Looks." });
  });

  it("counts what a tool reported before it took too long", async () => {
    const slow = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      timeoutMs: 20,
      execute: (_, { report }) => {
        report({ costUsd: 0.5 });
        return new Promise(() => undefined);
      },
    });
    const url = await served(toolHandler({ tools: [slow], authorize: () => ({ userId: "ada" }) }));
    const { actions, costUsd } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe(`${UNKNOWN}it took too long.${CHECK}`);
    expect(costUsd).toBe(0.5);
  });

  it("keeps what a tool says about the run: what it depends on, its longest result, and that it ends the run", async () => {
    const input = z.object({});
    const ran: string[] = [];
    const execute = (name: string) => {
      ran.push(name);
      return "x".repeat(100);
    };
    const named = (name: string, more = {}) =>
      tool({ name, description: "", input, execute: () => execute(name), ...more });
    const tools = [
      named("look"),
      named("gaze", { dependsOn: ["look"], maxResultChars: 10, repeatable: true }),
      named("once", { repeatable: false }),
      named("finish", { endsRun: "completed" }),
    ];
    const url = await served(toolHandler({ tools, authorize: () => ({ userId: "ada" }) }));
    const call = (name: string) => ({ name: `far_${name}`, input: {} });
    const script = [
      { tools: [call("look"), call("gaze"), call("once")] },
      { tools: [call("gaze")] },
      { tools: [call("once")] },
      { tools: [call("gaze")] },
      { tools: [call("finish")] },
    ];
    const { run, model, store } = front({ url, prefix: "far_" }, { script });
    const { sessionId, stop } = await run().result;
    // The first call of "gaze" came too early.
    expect(ran.sort()).toEqual(["finish", "gaze", "gaze", "look", "once"]);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).not.toContain("x".repeat(20));
    expect([stop.type, model.requests.length]).toEqual(["terminal_tool", 5]);
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "completed" });
  });

  it("T3 refuses an input that does not match before it sends anything", async () => {
    const schema = { type: "object", properties: { at: { type: "number" } } };
    const { url, calls } = await backend(
      sendJson({ result: 1 }),
      sendJson({ tools: [{ ...look, input_schema: schema }] }),
    );
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toMatch("does not match the tool's schema: at:");
    expect(calls()).toEqual([]);
  });

  it("sends a session id that no header can have as its hash", async () => {
    const { url, calls } = await backend(sendJson({ result: 1 }));
    const { run, store } = front({ url });
    await store.sessions.create({ id: "sitzung-ä", userId: "ada", agent: "coach" });
    await run({ sessionId: "sitzung-ä" }).result;
    expect(calls()[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("names the tools with the prefix, and calls them by their own names", async () => {
    const { url, calls } = await backend(sendJson({ result: 1 }));
    const script = [{ tools: [{ name: "stats_look", input: {} }] }, { text: "Seen." }];
    const { actions } = await front({ url, prefix: "stats_" }, { script }).run().result;
    expect([actions[0]?.success, calls()[0]?.body?.tool_name]).toEqual([true, "look"]);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["0", 0],
    ["false", false],
    ["an empty text", ""],
  ])("takes %s as a result", async (_, result) => {
    const { url } = await backend(sendJson({ tool_name: "look", result }));
    expect((await front({ url }).run().result).actions[0]).toMatchObject({ success: true, result });
  });
});

const huge: Answer = (_got, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"result":"');
  const chunk = "x".repeat(100_000);
  let sent = 0;
  const more = () => {
    if (response.destroyed) return;
    sent += chunk.length;
    if (sent > 10_000_000) response.end('"}');
    else response.write(chunk, () => setImmediate(more));
  };
  more();
};

const cut: Answer = (_got, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"result":');
  setTimeout(() => response.destroy(), 10);
};

const UNKNOWN = "The outcome of this call is unknown: ";
const CHECK = " It may or may not have taken effect; check before doing it again.";

describe("T10 a call fails with an error that the model reads, and the log stays valid", () => {
  const echo: Answer = ({ headers }, response) =>
    sendJson({ error: { code: "teapot", message: `I got ${headers.authorization}.` } }, 418)(
      {} as never,
      response,
    );
  it.each<[string, Answer, string, string]>([
    [
      "500",
      sendJson({ error: "SELECT * FROM secrets" }, 500),
      `${UNKNOWN}the tool's server failed (500).${CHECK}`,
      "http_500",
    ],
    ["429", sendJson({}, 429), "Not run: the tool's server gets too many requests (429).", "http_429"],
    [
      "a wrong bearer",
      sendJson({ error: { code: "unauthorized", message: "?" } }, 401),
      "Not run: the tool's server did not accept the user's credentials. The user has to sign in again.",
      "unauthorized",
    ],
    [
      "403",
      sendJson({ detail: "Only admins." }, 403),
      "Not run: this user may not do that: Only admins.",
      "http_403",
    ],
    [
      "FastAPI's 422",
      sendJson({ detail: [{ loc: ["body", "n"], msg: "field required" }] }, 422),
      "Not run: the tool's server refused the request (422): body.n: field required",
      "http_422",
    ],
    [
      "an error that repeats the token",
      echo,
      "Not run: the tool's server refused the request (418): I got Bearer ….",
      "teapot",
    ],
    [
      "bad JSON",
      (_got, response) => response.writeHead(200).end("<html>"),
      `${UNKNOWN}the tool's server answered with something other than JSON with a \`result\`.${CHECK}`,
      "bad_response",
    ],
    [
      "JSON without a result",
      sendJson([1]),
      `${UNKNOWN}the tool's server answered with something other than JSON with a \`result\`.${CHECK}`,
      "bad_response",
    ],
    [
      "a result of 10 MB",
      huge,
      "The tool did its work, but its result has more than 1000000 bytes.",
      "result_too_large",
    ],
    [
      "a connection that breaks off",
      cut,
      `${UNKNOWN}the connection to the tool's server broke off (UND_ERR_SOCKET).${CHECK}`,
      "UND_ERR_SOCKET",
    ],
    [
      "a server that is slow",
      () => undefined,
      `${UNKNOWN}the tool's server has not answered within 300 ms.${CHECK}`,
      "timed_out",
    ],
    ["a tool that failed", sendJson({ error: { code: "E1", message: "no replays" } }), "no replays", "E1"],
    ["a tool that failed, in short", sendJson({ error: "no replays" }), "no replays", "tool_failed"],
    [
      "a tool that failed without a text",
      sendJson({ error: {} }),
      "It failed without an error message.",
      "tool_failed",
    ],
  ])("%s", async (_, execute, message, code) => {
    const { url, calls } = await backend(execute);
    const { run, logOf, model } = front({ url, timeoutMs: 300 });
    const { actions, stop, text, sessionId } = await run().result;
    expect([actions[0]?.success, actions[0]?.result]).toEqual([false, message]);
    expect([stop.type, text]).toEqual(["end_turn", "Seen."]);
    const log = await logOf(sessionId);
    expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({ report: { code } });
    expect(JSON.stringify(log)).not.toContain(TOKEN);
    expect(model.rejected).toEqual([]);
    expect(calls()).toHaveLength(1);
  });

  it("a server that is down", async () => {
    const { url, close } = await backend(sendJson({}));
    const { run } = front({ url }, { script: looks(2) });
    const { sessionId } = await run().result;
    await close();
    const { actions } = await run({ sessionId }).result;
    expect(actions[0]?.result).toBe("Not run: the tool's server cannot be reached (ECONNREFUSED).");
  });

  it("a server that is slower than the tool's own time limit", async () => {
    const { url } = await backend(() => undefined, sendJson({ tools: [{ ...look, timeout_ms: 100 }] }));
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe(`${UNKNOWN}the tool's server has not answered within 2100 ms.${CHECK}`);
  });

  it.each([
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
    "ConnectionRefused",
  ])("a server that cannot be reached: %s", async (code) => {
    const { url } = await backend(sendJson({}));
    const failing: typeof fetch = async (input, init) => {
      if (!String(input).endsWith("/execute")) return await fetch(input, init);
      throw new TypeError("fetch failed", { cause: { cause: { code } } });
    };
    const { actions } = await front({ url, fetch: failing }).run().result;
    expect(actions[0]?.result).toBe(`Not run: the tool's server cannot be reached (${code}).`);
  });

  it("a refusal that is long, with an unknown code", async () => {
    const { url } = await backend(sendJson({ error: { code: "a b", message: "x".repeat(100_000) } }, 403));
    const { run, logOf } = front({ url });
    const { actions, sessionId } = await run().result;
    expect(actions[0]?.result).toBe(`Not run: this user may not do that: ${"x".repeat(2_000)}`);
    const [result] = (await logOf(sessionId)).filter(({ type }) => type === "tool_result");
    expect(result?.data).toMatchObject({ report: { code: "http_403" } });
  });

  it("a result that arrives in the middle of a character is read as it was sent", async () => {
    const { url } = await backend((_got, response) => {
      const bytes = Buffer.from('{"result":"Zoë"}');
      response.write(bytes.subarray(0, bytes.length - 3));
      setTimeout(() => response.end(bytes.subarray(bytes.length - 3)), 50);
    });
    expect((await front({ url }).run().result).actions[0]?.result).toBe("Zoë");
  });

  it("a 10 MB result is not read to its end", async () => {
    let sent = 0;
    const { url } = await backend((got, response) => {
      response.on("close", () => (sent = response.socket?.bytesWritten ?? response.writableLength));
      huge(got, response);
    });
    await front({ url, maxResultBytes: 200_000 }).run().result;
    await expect.poll(() => sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(9_000_000);
  });

  it("a token that expires in the middle of a run", async () => {
    let isExpired = false;
    const { url } = await backend((got, response) => {
      sendJson(
        isExpired ? { error: { code: "unauthorized", message: "x" } } : { result: 1 },
        isExpired ? 401 : 200,
      )(got, response);
      isExpired = true;
    });
    const script = [
      { tools: [{ name: "look", input: { n: 1 } }] },
      { tools: [{ name: "look", input: { n: 2 } }] },
      { text: "Sign in." },
    ];
    const { actions, text } = await front({ url }, { script }).run().result;
    expect(actions.map(({ success }) => success)).toEqual([true, false]);
    expect([actions[1]?.result, text]).toEqual([expect.stringContaining("sign in again"), "Sign in."]);
  });

  it.each([301, 302, 303, 307, 308])("a redirect (%i), which is not followed", async (status) => {
    const other = await backend(sendJson({ result: "stolen" }));
    const { url } = await backend((_got, response) =>
      response.writeHead(status, { location: `${other.url}/tools/execute` }).end(),
    );
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe(
      "Not run: the tool's server redirects to another address, which is not followed.",
    );
    expect(other.got).toEqual([]);
  });
});

describe("T10 a call is repeated only if its tool is idempotent", () => {
  const flaky =
    (statuses: number[]): Answer =>
    (got, response) => {
      const status = statuses.shift();
      sendJson(status === undefined ? { result: "fine" } : {}, status ?? 200, { "retry-after-ms": "1" })(
        got,
        response,
      );
    };

  it("with the same key, until it succeeds", async () => {
    const { url, calls } = await backend(flaky([503, 429]), idempotent);
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe("fine");
    const keys = calls().map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it("a few times, and then says that the outcome is unknown", async () => {
    const { url, calls } = await backend(flaky([500, 429, 429]), idempotent);
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe(`${UNKNOWN}the tool's server gets too many requests (429).${CHECK}`);
    expect(calls()).toHaveLength(3);
  });

  it("not if its own time limit was over", async () => {
    const { url, calls } = await backend(
      sendJson({ error: { code: "timed_out", message: "…" } }, 504, { "x-should-retry": "false" }),
      idempotent,
    );
    const { actions } = await front({ url }).run().result;
    expect(actions[0]?.result).toBe(`${UNKNOWN}it took too long.${CHECK}`);
    expect(calls()).toHaveLength(1);
  });

  it("not if the wait would be longer than the time that is left", async () => {
    const { url, calls } = await backend(sendJson({}, 503, { "retry-after": "60" }), idempotent);
    await front({ url }).run().result;
    expect(calls()).toHaveLength(1);
  });
});

it("L9 stopping the run aborts the request, and the server's tool", async () => {
  const started = Promise.withResolvers<void>();
  let aborted: unknown;
  const slow = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    execute: (_, { signal }) => {
      started.resolve();
      return new Promise(() => signal.addEventListener("abort", () => (aborted = signal.reason)));
    },
  });
  const url = await served(toolHandler({ tools: [slow], authorize: () => ({ userId: "ada" }) }));
  const { run, pawl } = front({ url });
  const going = run();
  await started.promise;
  await pawl.stop((await going.started).sessionId, { userId: "ada" });
  expect((await going.result).stop.type).toBe("aborted");
  await expect.poll(() => aborted).toBeDefined();
});
