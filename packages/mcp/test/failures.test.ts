import { memoryStore } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { settled } from "../../../test/support/settled.ts";
import type { McpServerOptions } from "../src/index.ts";
import { connectTo, type Register, serve } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const it_ =
  (annotations: object = {}): Register =>
  (server) =>
    void server.registerTool("it", { annotations }, async () => text("ran"));

const isCall = (body: string) => body !== "" && JSON.parse(body).method === "tools/call";

const lost = () => {
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(": hello\n\n"));
      setTimeout(() => controller.error(new Error("socket")), 20);
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
};

const unreachable = (code: string): never => {
  throw Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });
};

/** One call of `it` at a server that answers calls in this way. */
async function callWith(
  answer: (times: number, signal: AbortSignal) => Response | undefined | Promise<Response | undefined>,
  options: Partial<McpServerOptions<never>> & { annotations?: object } = {},
) {
  const { annotations = {}, ...rest } = options;
  let times = 0;
  const served = serve(it_(annotations), (request, body) => {
    if (!isCall(body)) return undefined;
    times += 1;
    return answer(times, request.signal);
  });
  const one = world([connectTo(served, rest)], calls("it"));
  const begin = performance.now();
  const { sessionId } = await one.say("Go");
  const { success, result, report } = await resultOf(one, sessionId);
  return { success, result, code: report?.code, times, ms: performance.now() - begin, one, sessionId };
}

describe("a call that fails", () => {
  it("F24 fails at once if its stream is lost, with an unknown outcome, and is not repeated", async () => {
    const { success, result, code, times, ms } = await callWith(lost);
    expect({ success, code, times }).toEqual({ success: false, code: "mcp_outcome_unknown", times: 1 });
    expect(result).toMatch(/outcome of this call is unknown.*connection was lost/);
    expect(ms).toBeLessThan(3_000);
  });

  it.each([
    { annotations: { readOnlyHint: true }, trustAnnotations: true, times: 2 },
    { annotations: { idempotentHint: true }, trustAnnotations: true, times: 2 },
    { annotations: { readOnlyHint: true }, trustAnnotations: false, times: 1 },
    { annotations: {}, trustAnnotations: true, times: 1 },
  ])("F24 is repeated after a lost connection only if it may be: $times", async ({ times, ...options }) => {
    const found = await callWith((n) => (n === 1 ? lost() : undefined), options);
    expect(found.times).toBe(times);
    expect(found.success).toBe(times === 2);
  });

  it("F24 was not sent if nobody listens", async () => {
    const { result, code } = await callWith(() => unreachable("ECONNREFUSED"));
    expect(code).toBe("mcp_unreachable");
    expect(result).toMatch(/cannot be reached/);
  });

  it.each([
    { status: 500, code: "mcp_outcome_unknown", times: 1 },
    { status: 429, code: "mcp_refused", times: 1 },
    // A session that the server does not know any more.
    { status: 404, code: "mcp_refused", times: 2 },
  ])("F24 knows what a status of $status says about the outcome", async ({ status, code, times }) => {
    const found = await callWith(() => new Response("no", { status }));
    expect(found).toMatchObject({ code, times, success: false });
  });

  it("F24 is a used result if it is nonsense, and is not repeated", async () => {
    const nonsense = () => Response.json({ jsonrpc: "2.0", id: 7_777, result: { content: "x" } });
    const wrong = await callWith(
      () => {
        void nonsense;
        return new Response("<html>", { headers: { "content-type": "text/html" } });
      },
      { annotations: { readOnlyHint: true }, trustAnnotations: true },
    );
    expect(wrong).toMatchObject({ success: false, times: 1, code: "mcp_unusable_result" });
  });

  it("T14 ends at the server's time limit, and tells the server", async () => {
    let isAborted = false;
    const hang = (_: number, signal: AbortSignal) =>
      new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          resolve(undefined);
        });
      });
    const { result, ms } = await callWith(hang, { timeoutMs: 100 });
    expect(result).toMatch(/unknown: it took too long/);
    expect(ms).toBeLessThan(2_000);
    await expect.poll(() => isAborted).toBe(true);
  });

  it("L9 T14 ends when the run is stopped", async () => {
    const served = serve(it_(), async (request, body) => {
      if (!isCall(body)) return undefined;
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return undefined;
    });
    const one = world([connectTo(served)], calls("it"));
    const run = one.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    await expect.poll(() => served.calls()).toHaveLength(1);
    await one.pawl.stop(sessionId, { userId: "u1" });
    expect((await run.result).stop.type).toBe("aborted");
  });

  it("T14 refuses a response that is too large, and keeps nothing of it", async () => {
    const huge = () => Response.json({ jsonrpc: "2.0", id: 1, result: text("x".repeat(50_000)) });
    const { result, code, times } = await callWith(huge, {
      maxResponseBytes: 20_000,
      annotations: { readOnlyHint: true },
      trustAnnotations: true,
    });
    expect({ code, times }).toEqual({ code: "mcp_unusable_result", times: 1 });
    expect(result).toMatch(/longer than 20000 bytes/);
  });

  it("T14 gets no more requests after too many failures, and a trial after a pause", async () => {
    let now = 0;
    let isDown = true;
    const served = serve(it_(), (_, body) =>
      isCall(body) && isDown ? unreachable("ECONNREFUSED") : undefined,
    );
    const breaker = { failures: 2, coolDownMs: 1_000 };
    const server = connectTo(served, { breaker, now: () => now, listTtlMs: 1e9 });
    const script = Array.from({ length: 5 }, () => calls("it").slice(0, 2)).flat();
    const one = world(
      [server],
      script.map((reply, n) =>
        "tools" in reply ? { tools: [{ ...reply.tools![0]!, id: `c${n}` }] } : reply,
      ),
    );
    const outcomes: unknown[] = [];
    for (const at of [0, 0, 0, 2_000, 2_000]) {
      now = at;
      if (at === 2_000) isDown = false;
      const { sessionId } = await one.say("Go");
      outcomes.push((await one.of(sessionId, "tool_result"))[0]?.data.report?.code ?? "ok");
    }
    expect(outcomes).toEqual(["mcp_unreachable", "mcp_unreachable", "mcp_circuit_open", "ok", "ok"]);
    expect(served.calls()).toHaveLength(4);
  });

  it("T14 gets requests as long as it answers in between, also if it refuses", async () => {
    const answers = [500, 429, 500, undefined];
    const served = serve(it_(), (_, body) => {
      const status = isCall(body) ? answers.shift() : undefined;
      return status === undefined ? undefined : new Response("no", { status });
    });
    const script = answers.flatMap((_, n) => [
      { tools: [{ name: "mcp__test__it", id: `c${n}`, input: {} }] },
      { text: "Ok." },
    ]);
    const one = world([connectTo(served, { breaker: { failures: 2 } })], script);
    const outcomes: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { sessionId } = await one.say("Go");
      outcomes.push((await one.of(sessionId, "tool_result"))[0]?.data.report?.code ?? "ok");
    }
    expect(outcomes).toEqual(["mcp_outcome_unknown", "mcp_refused", "mcp_outcome_unknown", "ok"]);
  });

  it("T14 waits for its turn if the server takes only some at a time, of which a user has half", async () => {
    let running = 0;
    let most = 0;
    const served = serve((server) => {
      server.registerTool("it", {}, async () => {
        running += 1;
        most = Math.max(most, running);
        await settled();
        running -= 1;
        return text("ran");
      });
    });
    const four = Array.from({ length: 4 }, (_, n) => ({ name: "mcp__test__it", id: `c${n}`, input: { n } }));
    const one = world([connectTo(served, { concurrency: 3 })], [{ tools: four }, { text: "Ok." }]);
    await one.say("Go");
    expect(most).toBe(2);
  });
});

describe("a server that is down when a run begins", () => {
  const down = { fetch: (async () => unreachable("ECONNREFUSED")) as typeof fetch };
  const throws = () => {
    throw new Error("no log");
  };

  it.each<[string, () => unknown]>([
    ["throws", throws],
    ["returns a promise that rejects", async () => throws()],
  ])("B8 T14 refuses nobody's message if `onError` %s", async (_, onError) => {
    expectPrinted("pawl: onError failed: no log");
    const one = world([connectTo(down)], [{ text: "Ok." }], { onError });
    expect((await one.say("Go")).text).toBe("Ok.");
  });

  it("T14 is left out and reported, and the run goes on", async () => {
    const up = serve(it_());
    const one = world([connectTo(down, { name: "down" }), connectTo(up)], calls("it"));
    const { sessionId } = await one.say("Go");
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect(one.errors).toEqual([expect.stringMatching(/^down: "down" cannot be reached/)]);
  });

  it("T14 refuses the run if it is required", async () => {
    const one = world([connectTo(down, { required: true })], calls("it"));
    await expect(one.say("Go")).rejects.toMatchObject({ code: "tools_failed" });
  });

  it("T14 is not waited for longer than `waitMs`", async () => {
    const silent = { fetch: (() => new Promise(() => undefined)) as typeof fetch };
    const one = world([connectTo(silent, { connectTimeoutMs: 5_000 })], [{ text: "Ok." }], { waitMs: 50 });
    const begin = performance.now();
    await one.say("Go");
    expect(performance.now() - begin).toBeLessThan(4_000);
    expect(one.errors).toEqual([
      expect.stringMatching(/^test: It did not answer within 50 ms \(`waitMs` of mcpTools\(\)\)/),
    ]);
  });

  it("T14 keeps its tools of a while ago", async () => {
    let now = 0;
    let isDown = false;
    const served = serve(it_(), () => (isDown ? unreachable("ECONNREFUSED") : undefined));
    const server = connectTo(served, { now: () => now });
    const one = world([server], [{ text: "Ok." }, ...calls("it")], { store: memoryStore() });
    const { sessionId } = await one.say("Go");
    now = 100_000;
    isDown = true;
    await one.say("Go", { sessionId });
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/cannot be reached/),
    });
  });
});
