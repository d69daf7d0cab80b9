import { type Json, jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { expectPrinted } from "../../../test/support/printed.ts";
import { settled as quiet } from "../../../test/support/settled.ts";
import type { AgentClientOptions, PageTool } from "../src/index.ts";
import { clientOf, look, type Served, serve, when } from "./support/clients.ts";
import "./support/locks.ts";

const any = jsonSchema({ type: "object" });
const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: jsonSchema({ type: "object" }),
  runsIn: "client",
});
const calling = (...names: string[]) => ({ tools: names.map((name) => ({ name, input: {} })) });
type Run = PageTool<Json, never>["execute"];

/** Serves an agent that calls a tool of the page, and a page that runs it. */
async function page(execute: unknown, options: Partial<AgentClientOptions> = {}, names = ["locate"]) {
  const model = scriptedModel([calling(...names), { text: "Done." }, { text: "Done." }]);
  const served = await serve(model, { tools: [locate, look], clientTools: true });
  const client = clientOf(served, { tools: { locate: { execute: execute as Run } }, ...options });
  return { served, client, model };
}

const results = async ({ store }: Served, sessionId = "") => {
  const log = await Array.fromAsync(store.read(sessionId, { types: ["tool_result"] }));
  return log.map(({ data }) => data as { success: boolean; result: Json });
};

/** Sends a message, and returns the results of its calls once the run is over. */
async function resultsOf(execute: unknown, options?: Partial<AgentClientOptions>, names?: string[]) {
  const { client, served } = await page(execute, options, names);
  await client.send("Where am I?");
  const { sessionId } = await when(client, ({ run }) => run?.stop !== undefined, 8_000);
  return await results(served, sessionId);
}

/** Sets `navigator.locks` until the test is over. */
function withLocks(value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value, configurable: true });
  onTestFinished(() => {
    if (before) Object.defineProperty(navigator, "locks", before);
    else Reflect.deleteProperty(navigator, "locks");
  });
}

/** A `fetch` that responds to each answer as `respond` says; `undefined` sends it. */
const answering =
  (respond: (n: number, body: string) => Response | undefined): typeof fetch =>
  async (input, init) => {
    const body = String(init?.body);
    if (!body.includes('"answers"')) return await fetch(input, init);
    n += 1;
    return respond(n, body) ?? (await fetch(input, init));
  };
let n = 0;
const refusing = (status: number, code: string) =>
  Response.json({ error: { code, message: "Not now." } }, { status });

describe("F12 a call of a page's tool always gets a result, although its tool", () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  const bare = Object.create(null);
  const odd = Object.assign(new Error("x"), { message: { toString: undefined } });
  it.each<[string, () => unknown, object, string?]>([
    [
      "returns a cycle",
      () => cycle,
      { success: false, result: expect.stringContaining("circular") },
      "TypeError: Converting circular structure to JSON",
    ],
    [
      "returns a bigint",
      () => ({ n: 5n }),
      { success: false, result: expect.stringContaining("BigInt") },
      "TypeError: Do not know how to serialize a BigInt",
    ],
    ["returns a function", () => () => 1, { success: true, result: null }],
    ["returns nothing", () => undefined, { success: true, result: null }],
    ["returns an event", () => new Event("x"), { success: true }],
    ["rejects with a text", () => Promise.reject("No."), { success: false, result: "No." }, "No."],
    ["throws nothing", () => Promise.reject(undefined), { success: false, result: "undefined" }, "undefined"],
    [
      "throws what has no text",
      () => Promise.reject(bare),
      { success: false, result: "It failed without an error message." },
      "[Object: null prototype] {}",
    ],
    [
      "throws an error with an odd message",
      () => Promise.reject(odd),
      { success: false, result: "It failed without an error message." },
      "[object Error]",
    ],
    [
      "throws an error of 20,000 characters",
      () => Promise.reject(new Error("x".repeat(20_000))),
      { success: false, result: "x".repeat(10_000) },
      `Error: ${"x".repeat(20_000)}`,
    ],
    [
      "throws an error without a message",
      () => Promise.reject(new Error("")),
      { success: false, result: "It failed without an error message." },
      "Error: ",
    ],
  ])("%s", async (_, execute, expected, printed) => {
    if (printed !== undefined) expectPrinted(printed);
    expect(await resultsOf(execute)).toMatchObject([expected]);
  });
});

describe("F12 the result of a page's tool is sent until the server has it", () => {
  it.each([
    ["is about to restart", 503, "draining"],
    ["limits requests", 429, "rate_limited"],
    ["has another run in progress", 409, "session_busy"],
    ["wants a new token", 401, "unauthorized"],
  ])("while the server %s", async (_, status, code) => {
    n = 0;
    let ran = 0;
    const fetch = answering((at) => (at <= 4 ? refusing(status, code) : undefined));
    expect(await resultsOf(() => ++ran, { fetch })).toMatchObject([{ success: true, result: 1 }]);
    expect(ran).toBe(1);
  });

  it("also if several results fail at one moment", async () => {
    const tries = new Map<string, number>();
    const last: (() => void)[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const [, callId] = /"callId":"([^"]+)"/.exec(String(init?.body)) ?? [];
      const at = (tries.get(callId ?? "") ?? 0) + 1;
      if (callId === undefined || at > 3) return await globalThis.fetch(input, init);
      tries.set(callId, at);
      if (at === 3)
        await new Promise<void>((resolve) => {
          last.push(resolve);
          if (last.length === 3) for (const fail of last) fail();
        });
      throw new TypeError("offline");
    };
    const all = await resultsOf(() => "here", { fetch }, ["locate", "locate", "locate"]);
    expect(all.map(({ result }) => result)).toEqual(["here", "here", "here"]);
  });

  it("and the user sees no error if another page was first", async () => {
    n = 0;
    const errors = new Set<unknown>();
    const fetch = answering(() => refusing(409, "already_answered"));
    const { client } = await page(() => "mine", { fetch });
    client.subscribe(() => errors.add(client.getState().error));
    await client.send("Where am I?");
    await expect.poll(() => n).toBe(1);
    await pause(300, "longer than until the next try, which must not come");
    expect([n, ...errors]).toEqual([1, undefined]);
  });
});

describe("F12 a result that nobody needs any more, or that fails", () => {
  it("is replaced by an error once, if the server refuses both", async () => {
    n = 0;
    const fetch = answering(() => refusing(400, "invalid_input"));
    const { client } = await page(() => "mine", { fetch });
    await client.send("Where am I?");
    await expect.poll(() => n).toBe(2);
    await pause(300, "longer than until the next try, which must not come");
    expect(n).toBe(2);
  });

  it("is no error if the call was closed a moment before", async () => {
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const errors = new Set<unknown>();
    const onEvent = ({ type }: { type: string }) => type === "tool_answered" && closed();
    const { client, served } = await page(() => closing, { onEvent } as never);
    client.subscribe(() => errors.add(client.getState().error));
    await client.send("Where am I?");
    const { sessionId } = await when(client, ({ phase }) => phase === "toolExecuting");
    const log = await Array.fromAsync(served.store.read(sessionId ?? "", { types: ["tool_suspended"] }));
    const { call_id: callId } = Object(log[0]).data as { call_id: string };
    const json = { sessionId, answers: [{ callId, value: "other" }] };
    await (await served.ask("/runs", { json })).text();
    await when(client, ({ run }) => run?.stop !== undefined);
    expect([...errors]).toEqual([undefined]);
    expect(await results(served, sessionId)).toMatchObject([{ result: "other" }]);
  });
});

describe("F12 a page's tool runs", () => {
  it("again once its client is opened again", async () => {
    let ran = 0;
    const { client } = await page(() => (++ran === 1 ? new Promise(() => undefined) : "here"));
    await client.send("Where am I?");
    await expect.poll(() => ran).toBe(1);
    const { sessionId } = client.getState();
    client.close();
    client.open(sessionId);
    await when(client, ({ run }) => run?.stop !== undefined);
    expect(ran).toBe(2);
  });

  it("only if the page has it itself, whatever its name", async () => {
    const model = scriptedModel([calling("constructor"), { text: "Done." }]);
    const named = tool({ ...{ description: "X.", runsIn: "client" }, name: "constructor", input: any });
    const served = await serve(model, { tools: [named] });
    const client = clientOf(served, { tools: {} });
    await client.send("Go");
    const { pending } = await when(client, ({ phase }) => phase === "suspended");
    expect(pending).toMatchObject([{ clientTool: "constructor" }]);
  });

  it("where the browser refuses locks", async () => {
    withLocks({ request: () => Promise.reject(new DOMException("No.", "SecurityError")) });
    expect(await resultsOf(() => "here")).toMatchObject([{ result: "here" }]);
  });

  it("once the tab that ran it is closed, also if the server cannot be reached just then", async () => {
    const first = await page(() => new Promise(() => undefined));
    await first.client.send("Where am I?");
    const { sessionId } = await when(first.client, ({ phase }) => phase === "toolExecuting");
    let lost = 0;
    let isClosed = false;
    const flaky: typeof fetch = async (input, init) => {
      if (isClosed && lost < 2 && String(input).includes(`/sessions/${sessionId}?`)) {
        lost += 1;
        throw new TypeError("offline");
      }
      return await fetch(input, init);
    };
    const tools = { locate: { execute: () => "second" } };
    const second = clientOf(first.served, { sessionId, tools, fetch: flaky });
    await when(second, ({ phase }) => phase === "toolExecuting");
    await quiet();
    isClosed = true;
    first.client.close();
    await when(second, ({ run }) => run?.stop !== undefined);
    expect([lost, await results(first.served, sessionId)]).toMatchObject([2, [{ result: "second" }]]);
  });
});

describe("F12 a message of a page with tools", () => {
  const tools = { read_page: { description: "Reads.", execute: () => null } };

  it("never reaches the session that the user opens next", async () => {
    const { client, served } = await page(() => null, { tools });
    const other = clientOf(served);
    await other.send("Hi");
    const { sessionId } = await when(other, ({ phase }) => phase === "suspended");
    for (const next of [sessionId, undefined]) {
      client.open(undefined);
      const sent = client.send("For the other session only");
      expect(client.getState().phase).toBe("submitting");
      client.open(next);
      expect(await sent).toBe(false);
      expect(client.getState().sessionId).toBe(next);
    }
    const log = await Array.fromAsync(served.store.read(sessionId ?? "", { types: ["user_message"] }));
    expect(log.map(({ data }) => (data as { message: string }).message)).toEqual(["Hi"]);
    expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
  });

  it("is not sent once the client is closed, also if it is opened again at once", async () => {
    const { client, served } = await page(() => null, { tools });
    const sent = client.send("Hi");
    client.close();
    client.open(undefined);
    expect(await sent).toBe(false);
    expect(await served.store.sessions.list({ userId: "ada" })).toEqual([]);
  });

  it("is shown at once, and is in flight for a second one", async () => {
    const { client } = await page(() => null, { tools });
    const sent = [client.send("One"), client.send("Two")];
    expect(client.getState().messages.map(({ text }) => text)).toEqual(["One"]);
    expect(await Promise.all(sent)).toEqual([true, false]);
  });
});
