import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { jsonSchema, type Tool, type ToolContext, tool } from "../../src/index.ts";
import { callTool } from "../../src/tools.ts";

const input = z.object({ n: z.number() });
const make = (execute: (input: { n: number }, context: ToolContext) => unknown, more = {}) =>
  tool({ name: "t", description: "", input, execute, ...more });
const ada = { userId: "ada" };

describe("T10 callTool()", () => {
  it("gives the tool what the caller passed, and returns its result as JSON", async () => {
    let seen: Partial<ToolContext> = {};
    const signal = new AbortController().signal;
    const t = make(({ n }, { deps, userId, caller, credentials, params, idempotencyKey, callId }) => {
      seen = { deps, userId, caller, credentials, params, idempotencyKey, callId };
      return { at: new Date(0), n, none: undefined };
    });
    const given = {
      deps: 1,
      caller: { role: "a" },
      credentials: "k",
      params: { p: 1 },
      idempotencyKey: "key",
    };
    expect(await callTool(t, { n: 1 }, { ...ada, ...given, signal })).toEqual({
      success: true,
      result: { at: "1970-01-01T00:00:00.000Z", n: 1 },
      report: {},
    });
    expect(seen).toEqual({ ...ada, ...given, callId: "key" });
  });

  it("T3 refuses an input that does not match with the loop's text, and does not run", async () => {
    let ran = 0;
    const outcome = await callTool(
      make(() => (ran += 1)),
      { n: "x" },
      ada,
    );
    expect(outcome).toMatchObject({
      success: false,
      failure: "invalid_input",
      message:
        "The input does not match the tool's schema: n: Invalid input: expected number, received string",
    });
    expect(ran).toBe(0);
  });

  it("T3 refuses an input that is nested too deeply to be validated, and does not run", async () => {
    const execute = vi.fn();
    const input = jsonSchema({ type: "object", properties: { n: { $ref: "#" } } });
    const deep = tool({ name: "deep", description: "", input, execute });
    let value = {};
    for (let levels = 0; levels < 50_000; levels += 1) value = { n: value };
    expect(await callTool(deep, value, { userId: "ada" })).toEqual({
      success: false,
      failure: "invalid_input",
      message: "The input does not match the tool's schema: it is nested too deeply",
      report: {},
    });
    expect(execute).not.toHaveBeenCalled();
    const own = new RangeError("Invalid time value");
    const fails = tool({
      name: "fails",
      description: "",
      input: z.object({}),
      execute: () => Promise.reject(own),
    });
    expect(await callTool(fails, {}, { userId: "ada" })).toMatchObject({ failure: "failed" });
  });

  it("L7 returns a thrown error with its code, and what was reported before", async () => {
    const t = make((_, { report }) => {
      report({ connector: "db", costUsd: 0.5 });
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
      });
    });
    expect(await callTool(t, { n: 1 }, ada)).toEqual({
      success: false,
      failure: "failed",
      message: "fetch failed",
      code: "ECONNREFUSED",
      report: { connector: "db", costUsd: 0.5 },
    });
    const silent = make(() => {
      throw new Error(" ");
    });
    expect(await callTool(silent, { n: 1 }, ada)).toMatchObject({
      message: "It failed without an error message.",
    });
  });

  it.each([
    ["the tool's own limit", { timeoutMs: 100 }, {}],
    ["the caller's limit for tools without one", {}, { timeoutMs: 100 }],
  ])("L4 ends at %s and aborts the tool, which can report nothing more", async (_, own, given) => {
    let timeUp = () => {};
    const after = (ms: number, then: () => void) => {
      expect(ms).toBe(100);
      timeUp = then;
      return () => undefined;
    };
    const clock = { now: () => 0, after };
    let context: ToolContext | undefined;
    const t = make((_input, its) => {
      context = its;
      return new Promise(() => undefined);
    }, own);
    const called = callTool(t, { n: 1 }, { ...ada, ...given, clock });
    await expect.poll(() => context).toBeDefined();
    timeUp();
    expect(await called).toMatchObject({ failure: "timed_out", message: expect.stringContaining("unknown") });
    expect(context?.signal.reason).toEqual(
      expect.objectContaining({ name: "TimeUp", message: "The tool took longer than 100 ms." }),
    );
    expect(() => context?.report({ costUsd: 1 })).toThrow("has its result already");
  });

  it("L9 ends when the caller aborts, and the tool's signal aborts", async () => {
    const control = new AbortController();
    let signal: AbortSignal | undefined;
    const t = make((_, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    });
    const called = callTool(t, { n: 1 }, { ...ada, signal: control.signal });
    await expect.poll(() => signal).toBeDefined();
    control.abort(new Error("gone"));
    expect(await called).toMatchObject({ success: false, failure: "aborted" });
    expect(signal?.reason).toEqual(new Error("gone"));
  });

  it("does not run the tool if the caller has aborted before", async () => {
    let ran = 0;
    const outcome = await callTool(
      make(() => (ran += 1)),
      { n: 1 },
      { ...ada, signal: AbortSignal.abort() },
    );
    await Promise.resolve();
    expect([outcome, ran]).toMatchObject([{ failure: "aborted" }, 0]);
  });

  it.each<[string, (context: ToolContext) => unknown]>([
    ["append", ({ append }) => append({ type: "a.b", data: {} })],
    ["read", ({ read }) => Array.fromAsync(read())],
    ["askModel", ({ askModel }) => askModel({} as never, { prompt: "" })],
    ["createArtifact", ({ createArtifact }) => createArtifact({ type: "a", title: "a", payload: {} })],
    ["artifact", ({ artifact }) => artifact("a")],
    ["completeSession", ({ completeSession }) => completeSession()],
    ["setMode", ({ setMode }) => setMode("m")],
  ])("says that %s() needs a session", async (method, use) => {
    const outcome = await callTool(
      make((_, context) => use(context)),
      { n: 1 },
      ada,
    );
    expect(outcome).toMatchObject({
      failure: "failed",
      message: expect.stringContaining(`\`context.${method}()\` needs a session, but "t" was called outside`),
    });
  });

  it("F17 does not repeat credentials", async () => {
    const token = "tok_0123456789abcdef";
    const t = make(({ n }) => {
      if (n === 0) return { you: `sent ${token}` };
      throw new Error(`no rights for ${token}`);
    });
    const outcomes = [0, 1].map((n) => callTool(t, { n }, { ...ada, credentials: { token } }));
    expect(JSON.stringify(await Promise.all(outcomes))).not.toContain(token);
  });

  it("F17 repeats no credential as the name of a field, and none that begins with another one", async () => {
    const [short, long] = ["tok_0123456789abcdef", "tok_0123456789abcdef_and_more"];
    const t = make(() => ({ [long]: short, list: [{ [short]: long }] }));
    const outcome = await callTool(t, { n: 1 }, { ...ada, credentials: { short, long } });
    expect(outcome).toMatchObject({ result: { "…": "…", list: [{ "…": "…" }] } });
  });

  it("returns the text of `format` beside the result", async () => {
    const t = make(() => 5, { format: () => "five" });
    expect(await callTool(t, { n: 1 }, ada)).toMatchObject({ result: 5, content: "five" });
  });

  it("U6 refuses what it cannot call, and wrong options", async () => {
    const asks = tool({ name: "asks", description: "", input, suspends: { answer: z.string() } });
    await expect(callTool(asks, { n: 1 }, ada)).rejects.toThrow('cannot call "asks": it asks the user');
    const agents = { ...make(() => 1), delegate: {} } as unknown as Tool;
    await expect(callTool(agents, { n: 1 }, ada)).rejects.toThrow("an agent does its work");
    await expect(callTool({} as never, {}, ada)).rejects.toThrow(
      "callTool() needs a tool that tool() has made",
    );
    const wrong = { user: "ada", timeoutMs: "5" } as never;
    await expect(
      callTool(
        make(() => 1),
        {},
        wrong,
      ),
    ).rejects.toThrow(/Use `userId`.*timeoutMs/);
    await expect(
      callTool(
        make(() => 1),
        {},
        { ...ada, timeoutMs: 0 },
      ),
    ).rejects.toThrow("from 1");
  });
});
