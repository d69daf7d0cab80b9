import type { ServerResponse } from "node:http";
import type { TransportSendOptions } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/until.ts";
import { newSessionStream } from "../src/connect/session-stream.ts";
import { mcpServer } from "../src/index.ts";
import { type Before, type OldServer, startSessionServer } from "./support/session-server.ts";
import { calls, resultOf, world } from "./support/world.ts";

const FORM = {
  message: "Sure?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
};

/** A call that waits for an answer that never comes would take so long. A busy machine takes seconds. */
const LIMIT_MS = 60_000;
const SOON_MS = 30_000;

/** Asks in the session's own stream, as `elicitInput()` does. */
const ask = async (server: OldServer) => `answered: ${JSON.stringify(await server.elicitInput(FORM))}`;

/** An agent that calls `it` of a server that keeps sessions. */
async function app(
  call: (server: OldServer) => Promise<string> = ask,
  before?: Before,
  script = calls("it"),
) {
  const server = await startSessionServer(call, before);
  onTestFinished(() => server.close());
  const connected = mcpServer({ name: "test", url: server.url, timeoutMs: LIMIT_MS });
  const one = world([connected], script);
  onTestFinished(() => one.tools.close());
  const go = async () => {
    const begin = performance.now();
    const { sessionId } = await one.say("Go");
    const { success, report, result } = await resultOf(one, sessionId);
    return { success, code: report?.code, result, ms: performance.now() - begin };
  };
  return { server, one, go };
}

const CANCELLED = { content: [{ type: "text", text: 'answered: {"action":"cancel"}' }] };

/** Answers each `GET` by `answer`. */
const onGet =
  (answer: (response: ServerResponse, nth: number) => void): Before =>
  (request, response, seen) => {
    if (request.method !== "GET") return false;
    answer(response, seen.filter((one) => one === "GET").length);
    return true;
  };

const stream = { "content-type": "text/event-stream" };

describe("a session's own stream", () => {
  it("F24 has the questions of a server during a call, which are cancelled at once", async () => {
    const { server, go } = await app();
    const { ms, ...found } = await go();
    expect(found).toEqual({ success: true, code: undefined, result: CANCELLED });
    expect(ms).toBeLessThan(SOON_MS);
    expect(server.seen.filter((one) => one === "GET")).toHaveLength(1);
  });

  it("F24 is one for calls that run side by side, and ends with the last of them", async () => {
    const three = ["c1", "c2", "c3"].map((id) => ({ name: "mcp__test__it", id, input: {} }));
    const { server, one, go } = await app(ask, undefined, [{ tools: three }, ...calls("it").slice(1)]);
    expect(await go()).toMatchObject({ result: CANCELLED });
    expect(server.seen.filter((said) => said === "POST tools/call")).toHaveLength(3);
    expect(server.seen.filter((said) => said === "GET")).toHaveLength(1);
    // The connection stays open.
    await until(() => server.streams() === 0);
    expect(server.seen).not.toContain("DELETE");
    await one.say("Hello");
    expect(server.seen.filter((said) => said === "GET")).toHaveLength(1);
  });

  it("F24 is opened again for the next call, also while the server still has the one before", async () => {
    const { server, one } = await app(
      ask,
      // The server has not noticed yet that the first stream was closed.
      (request, response, seen) => {
        const nth = request.method === "GET" ? seen.filter((said) => said === "GET").length : 0;
        if (nth !== 2) return false;
        response.writeHead(409).end();
        return true;
      },
      [...calls("it").slice(0, 2), ...calls("it").slice(0, 2)],
    );
    for (const nth of [1, 2]) {
      const { sessionId } = await one.say("Go");
      expect([nth, (await resultOf(one, sessionId)).result]).toEqual([nth, CANCELLED]);
    }
    expect(server.seen.filter((said) => said === "GET")).toHaveLength(3);
  });

  it("F24 that breaks off during a call is opened again", async () => {
    let opened = 0;
    const asks = async (server: OldServer) => {
      await until(() => opened === 2);
      return await ask(server);
    };
    const { go } = await app(asks, (request, response) => {
      if (request.method !== "GET") return false;
      opened += 1;
      if (opened > 1) return false;
      response.writeHead(200, stream).end(": hello\n\n");
      return true;
    });
    expect(await go()).toMatchObject({ result: CANCELLED });
  });

  it("F24 T14 is closed by close(), with the call", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { server, one, go } = await app(async () => {
      resolve();
      return await new Promise<never>(() => undefined);
    });
    const going = go();
    await promise;
    expect(server.streams()).toBe(1);
    await one.tools.close();
    await until(() => server.streams() === 0);
    expect(await going).toMatchObject({ success: false, code: "mcp_outcome_unknown" });
  });
});

describe("a server that has no such stream", () => {
  it.each([
    [405, {}],
    [404, {}],
    [200, { "content-type": "text/html" }],
  ])("F24 (%i) is asked for it once, and its calls work", async (status, headers) => {
    const { server, one } = await app(
      async () => "ran",
      onGet((response) => response.writeHead(status, headers).end("no")),
      [...calls("it").slice(0, 2), ...calls("it").slice(0, 2)],
    );
    for (const _ of [1, 2]) {
      const { sessionId } = await one.say("Go");
      expect((await resultOf(one, sessionId)).result).toEqual({ content: [{ type: "text", text: "ran" }] });
    }
    expect(server.seen.filter((said) => said === "GET")).toHaveLength(1);
    expect(server.seen.filter((said) => said === "POST initialize")).toHaveLength(1);
  });

  it("F24 but does not answer the question for it delays no call", async () => {
    const { server, go } = await app(
      async () => "ran",
      onGet(() => undefined),
    );
    const { ms, ...found } = await go();
    expect(found).toMatchObject({ success: true });
    expect(ms).toBeLessThan(SOON_MS);
    await until(() => server.streams() === 0);
  });
});

describe("a hostile stream of a session", () => {
  const twoCalls = [...calls("it").slice(0, 2), ...calls("it").slice(0, 2)];

  it.each([
    ["events without an end", "data: {}\n\n".repeat(1_000)],
    ["a line without an end", `data: ${"x".repeat(100_000)}`],
    ["questions without an end", `data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n`.repeat(100)],
  ])("B7 T14 of %s is not read any further", async (_, piece) => {
    let written = 0;
    const { server, one } = await app(
      async () => await new Promise<never>(() => undefined),
      onGet((response) => {
        response.writeHead(200, stream);
        const more = () => {
          while (!response.destroyed && response.write(piece)) written += piece.length;
        };
        response.on("drain", more);
        more();
      }),
      twoCalls,
    );
    const begin = performance.now();
    const { sessionId } = await one.say("Go");
    expect((await resultOf(one, sessionId)).report).toMatchObject({ code: "mcp_outcome_unknown" });
    expect(performance.now() - begin).toBeLessThan(SOON_MS);
    await until(() => server.streams() === 0);
    expect(written).toBeLessThan(40_000_000);
  });

  it("T14 that breaks off again and again is opened three times for a call, and not without one", async () => {
    const sent: { message: unknown; options: TransportSendOptions | undefined }[] = [];
    const transport = {
      sessionId: "s",
      send: async (message: unknown, options?: TransportSendOptions) => void sent.push({ message, options }),
    };
    const asked: (string | null)[] = [];
    const session = newSessionStream(transport as never, async (_, init) => {
      asked.push(new Headers(init.headers).get("last-event-id"));
      return new Response("", { headers: stream });
    });
    const get = async (token: string) => {
      const headers = { "last-event-id": token };
      return (await session.fetch("https://mcp.example.com", { method: "GET", headers })).status;
    };
    const first = session.join();
    const second = session.join();
    expect(sent).toHaveLength(1);
    const { resumptionToken: own = "", requestSignal } = sent[0]?.options ?? {};
    expect(await get(own)).toBe(200);
    expect([await get("e1"), await get("e2"), await get("e3")]).toEqual([200, 200, 405]);
    expect(asked).toEqual([null, "e1", "e2"]);
    first?.leave();
    first?.leave();
    expect(requestSignal?.aborted).toBe(false);
    second?.leave();
    expect(requestSignal?.aborted).toBe(true);
    expect([await get(own), await get("e3")]).toEqual([405, 405]);
    session.join();
    expect(await get(sent[1]?.options?.resumptionToken ?? "")).toBe(200);
  });
});

describe("a server that has lost its session (404)", () => {
  /** Forgets each session before its first call, so many times. */
  const forgetting = (times: number): Before => {
    let left = times;
    return (request, response, seen) => {
      if (seen.at(-1) !== "POST tools/call" || left === 0) return false;
      left -= 1;
      const error = { code: -32_001, message: "Session not found" };
      response.writeHead(404).end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
      return request.method === "POST";
    };
  };
  const count = (seen: readonly string[], what: string) => seen.filter((said) => said === what).length;

  it("F24 T14 gets a new one, and the call once more, which had not run", async () => {
    let ran = 0;
    const { server, go } = await app(async () => {
      ran += 1;
      return "ran";
    }, forgetting(1));
    expect(await go()).toMatchObject({ success: true, result: { content: [{ text: "ran" }] } });
    expect(ran).toBe(1);
    expect(count(server.seen, "POST initialize")).toBe(2);
    expect(count(server.seen, "POST tools/call")).toBe(2);
  });

  it("F24 T14 again and again is asked twice, and the call fails as not sent", async () => {
    const { server, go } = await app(async () => "ran", forgetting(Number.POSITIVE_INFINITY));
    expect(await go()).toMatchObject({ success: false, code: "mcp_refused" });
    expect(count(server.seen, "POST initialize")).toBe(2);
    expect(count(server.seen, "POST tools/call")).toBe(2);
  });

  it("F24 T14 in the middle of a call has an unknown outcome, and is not asked again", async () => {
    let ran = 0;
    const { server, one } = await app(async () => {
      ran += 1;
      server.close();
      return await new Promise<never>(() => undefined);
    });
    const { sessionId } = await one.say("Go");
    expect((await resultOf(one, sessionId)).report).toMatchObject({ code: "mcp_outcome_unknown" });
    expect(ran).toBe(1);
    expect(count(server.seen, "POST tools/call")).toBe(1);
  });
});
