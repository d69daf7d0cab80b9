// What a broken or hostile server can send to a client over ASP.
import { describe, expect, it, onTestFinished } from "vitest";
import { settled as quiet } from "../../../test/support/settled.ts";
import type { AspClientOptions } from "../src/asp.ts";
import { aspClient, lastText, settled, when } from "./support/asp.ts";

type Body = string | ReadableStream<Uint8Array>;

const stream = (body: Body, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
const frames = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

const ack = { type: "ack" };
const text = (text: string) => ({ type: "text", text });
const stop = { type: "message_stop", stop_reason: "end_turn" };
const done = { type: "tool_result", tool_use_id: "c1", content: 1 };
const tool = (id: string) => ({ type: "tool", tool_use_id: id, name: "look", input: {} });

const message = { id: "m1", role: "user", text: "Hi", parts: [], seq: 1 };
const idle = { messages: [message], pending: [], runningTools: {}, cursor: 2 };
const open = { ...idle, run: { id: "r1", seq: 1, open: true } };

/** A body that stays open. `send` writes frames into it. */
function held() {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      control = given;
    },
  });
  const send = (...events: unknown[]) => control?.enqueue(new TextEncoder().encode(frames(...events)));
  return { body, send, end: () => control?.close(), breakOff: () => control?.error(new Error("reset")) };
}

/** Serves what the functions return, without a network. */
function hostile(
  {
    run = () => stream(frames(ack, stop)),
    snapshot = () => idle,
    replay = () => new Response(null, { status: 204 }),
  }: {
    run?(n: number): Response | Promise<Response>;
    snapshot?(n: number): unknown;
    replay?(n: number): Response;
  },
  options: Partial<AspClientOptions> = {},
) {
  const paths: string[] = [];
  const uncaught: unknown[] = [];
  const keep = (error: unknown) => void uncaught.push(error);
  process.on("unhandledRejection", keep);
  onTestFinished(() => void process.off("unhandledRejection", keep));
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const path = new URL(String(url)).pathname;
    paths.push(path);
    const n = paths.filter((other) => other === path).length;
    if (init.signal?.aborted) throw init.signal.reason;
    if (path.endsWith("/stream")) return replay(n);
    return path.endsWith("/runs") ? run(n) : Response.json(await snapshot(n));
  };
  const client = aspClient({ url: "http://x" }, { fetch: fetch as typeof globalThis.fetch, ...options });
  return { client, paths, uncaught };
}

describe("X3 a broken stream of ASP", () => {
  it("with frames that are no events shows what is one", async () => {
    const junk = ["{", "null", "[]", "5", '"x"', "[{]", '{"type":5}', '{"type":"__proto__"}'];
    const wrong = [
      { type: "text" },
      { type: "text", text: 5 },
      { type: "tool", tool_use_id: "c1", name: "look" },
      { type: "tool", tool_use_id: 1, name: "look", input: {} },
      { type: "tool_result", tool_use_id: "c1" },
      { type: "message_stop" },
      { type: "error", message: {} },
      { type: "weather", text: "rain" },
    ];
    const body = `: pawl heartbeat=99999999999\nid: 5\nevent: x\n${frames(ack, ...junk, text("Hel"), ...wrong, text("lo."), stop)}data: {"type"`;
    const { client } = hostile({ run: () => stream(body) });
    await client.send("Hi");
    const state = await settled(client);
    expect([lastText(state), state.stopReason, state.error]).toEqual(["Hello.", "end_turn", undefined]);
  });

  it("with repeated calls, results and acks, and with events after its end, shows each call once", async () => {
    const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
    const { client } = hostile({
      run: () =>
        stream(
          frames(
            ...[ack, tool("c1"), tool("c1"), tool("__proto__"), result("c1", 1), result("c1", 2)],
            ...[
              result("unknown", 1),
              result("__proto__", 3),
              text("Done."),
              stop,
              stop,
              ack,
              text("More."),
              tool("c2"),
            ],
          ),
        ),
    });
    await client.send("Hi");
    const { messages, phase, runningTools } = await settled(client);
    expect(messages[1]?.parts).toMatchObject([
      { type: "tool", callId: "c1", phase: "done", result: 2 },
      { type: "tool", callId: "__proto__", phase: "done", result: 3 },
      { type: "text", text: "Done.", open: false },
    ]);
    expect([messages.length, phase, runningTools]).toEqual([2, "idle", {}]);
  });

  it.each([
    ["without an event", "", "protocol"],
    ["without its end", frames(ack, text("Hel")), "network"],
    ["with an end only", frames(stop), undefined],
    ["with a cut frame", `${frames(ack, text("Hel"))}data: {"type":"text","te`, "network"],
  ])("%s ends", async (_, body, code) => {
    const { client } = hostile({ run: () => stream(body) });
    await client.send("Hi");
    const { error, messages } = await settled(client);
    expect(error?.code).toBe(code);
    expect(messages.flatMap(({ parts }) => parts).some((part) => "open" in part && part.open)).toBe(false);
  });

  it.each(["%", "%E0%A4%A", "\u00ff"])(
    "W4 with the session id %j is refused, and can be sent again",
    async (id) => {
      const { client, paths } = hostile({
        run: (n) => stream(frames(ack, text("Hello."), stop), { "x-pawl-session": n === 1 ? id : "s1" }),
      });
      const isSent = await client.send("Hi");
      if (!isSent) {
        expect(client.getState().error).toMatchObject({ code: "protocol", text: "Hi" });
        expect(await client.retry()).toBe(true);
        expect((await settled(client)).sessionId).toBe("s1");
        expect(paths).toEqual(["/runs", "/runs"]);
      } else expect((await settled(client)).sessionId).toBe(id);
    },
  );

  it("that breaks off after its end has not failed", async () => {
    const first = held();
    const { client } = hostile({ run: () => stream(first.body) });
    await client.send("One");
    first.send(ack, text("One."), stop);
    await settled(client);
    first.breakOff();
    await quiet();
    expect(client.getState()).toMatchObject({ error: undefined, phase: "idle", stopReason: "end_turn" });
  });

  it("a new conversation is not disturbed by the first message of the one before", async () => {
    const response = Promise.withResolvers<Response>();
    const { client } = hostile({ run: () => response.promise });
    const sending = client.send("One");
    client.open(undefined);
    expect(client.getState()).toMatchObject({ messages: [], phase: "idle" });
    response.resolve(stream(frames(ack, text("One."), stop), { "x-pawl-session": "s1" }));
    expect(await sending).toBe(false);
    await quiet();
    expect(client.getState()).toMatchObject({ messages: [], sessionId: undefined, error: undefined });
  });

  it("that never closes after its end keeps nobody from going on", async () => {
    const first = held();
    const { client } = hostile({
      run: (n) => stream(n === 1 ? first.body : frames(ack, text("Two."), stop)),
    });
    await client.send("One");
    first.send(ack, text("One."), stop);
    await settled(client);
    await client.send("Two");
    first.send(ack, text("Nothing of this."), stop);
    const { messages } = await settled(client);
    expect(messages.map(({ text }) => text)).toEqual(["One", "One.", "Two", "Two."]);
  });
});

describe("X3 a broken history of ASP", () => {
  it.each<[string, unknown]>([
    ["nothing", null],
    ["messages of the wrong type", { ...idle, messages: [null] }],
    ["messages without parts", { ...idle, messages: [{ id: "m", role: "assistant", text: "x" }] }],
    [
      "a message with broken parts",
      { ...idle, messages: [{ ...message, role: "assistant", parts: [null] }] },
    ],
    ["no questions", { ...idle, pending: undefined }],
    ["a wrong cursor", { ...idle, cursor: "5" }],
    ["a run of the wrong type", { ...idle, run: 5 }],
  ])("%s is an error, and nothing is thrown", async (_, snapshot) => {
    const { client, uncaught } = hostile(
      { snapshot: (n) => (n === 1 ? snapshot : idle) },
      { sessionId: "s1" },
    );
    const state = await settled(client);
    await quiet();
    expect(uncaught).toEqual([]);
    if (state.error === undefined) return;
    expect(state).toMatchObject({ error: { code: "protocol" }, messages: [] });
    client.open("s1");
    expect((await settled(client)).messages).toEqual([message]);
  });

  it("whose run is always open, with a stream that ends at once, is not asked for without end", async () => {
    const { client, paths } = hostile(
      { snapshot: () => open, replay: () => stream(frames(ack, text("Hi."), stop)) },
      { sessionId: "s1" },
    );
    const before = performance.now();
    const { error } = await when(client, (state) => state.error !== undefined);
    // The waits are at least 50, 100 and 200 ms.
    expect(performance.now() - before).toBeGreaterThan(340);
    expect(error).toMatchObject({ code: "network", message: expect.stringContaining("try again") });
    expect(paths).toHaveLength(10);
  });
});

it.each([
  ["before its stream is closed", true],
  ["while the history is loaded again", false],
])(
  "X3 a message that is sent after a run has ended, %s, is shown once, and so is its answer",
  async (_, isOpen) => {
    const first = held();
    const second = held();
    const { client, paths } = hostile(
      {
        snapshot: async (n) => {
          if (n === 1) return open;
          await quiet();
          return { ...open, run: { id: "r2", seq: 3, open: true } };
        },
        replay: (n) => stream(n === 1 ? first.body : frames(ack, text("Two."), stop)),
        run: () => stream(second.body),
      },
      { sessionId: "s1" },
    );
    await when(client, ({ phase }) => phase === "streaming");
    first.send(ack, text("One."), stop);
    await settled(client);
    if (!isOpen) first.end();
    expect(await client.send("Two")).toBe(true);
    if (isOpen) first.end();
    second.send(ack, text("Tw"));
    await quiet();
    second.send(text("o."), stop);
    second.end();
    const { messages, error } = await settled(client);
    await quiet();
    expect([messages.map(({ text }) => text), error]).toEqual([["Hi", "One.", "Two", "Two."], undefined]);
    expect(paths.filter((path) => path.endsWith("/stream"))).toHaveLength(1);
  },
);

describe("X3 stop() and retry() with a server that does not help", () => {
  it("L10 stop() leaves the stream of a server that does not name its session", async () => {
    const first = held();
    const { client, paths } = hostile({ run: () => stream(first.body) });
    await client.send("Hi");
    first.send(ack, text("Hel"));
    await when(client, (state) => lastText(state) === "Hel");
    await client.stop();
    expect(client.getState()).toMatchObject({ phase: "idle", stopReason: "aborted", error: undefined });
    expect(paths).toEqual(["/runs"]);
  });

  it("stop() changes nothing where nothing is read", async () => {
    const { client, paths } = hostile({});
    const before = client.getState();
    await client.stop();
    expect([client.getState(), paths]).toEqual([before, []]);
  });

  it("W4 retry() sends a message once more, and not again after it was accepted", async () => {
    const named = { "x-pawl-session": "s1" };
    const { client, paths } = hostile({
      run: (n) =>
        n === 1 ? Response.json({}, { status: 503 }) : stream(frames(ack, text("Hello."), stop), named),
    });
    expect(await client.send("Hi")).toBe(false);
    expect(await client.retry()).toBe(true);
    await settled(client);
    expect(await client.retry()).toBe(true);
    expect(paths).toEqual(["/runs", "/runs", "/sessions/s1"]);
  });

  it("W4 retry() does not repeat an answer that was refused, and loads what is true now", async () => {
    const { client, paths } = hostile({
      run: (n) =>
        n === 1
          ? stream(frames(ack, tool("c1"), { type: "message_stop", stop_reason: "tool_use" }), {
              "x-pawl-session": "s1",
            })
          : Response.json({ error: { code: "already_answered", message: "Answered." } }, { status: 409 }),
    });
    await client.send("Hi");
    expect((await settled(client)).pending).toMatchObject([{ callId: "c1" }]);
    expect(await client.answer("c1", 1)).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "already_answered", callId: "c1" });
    expect(await client.retry()).toBe(true);
    expect(paths).toEqual(["/runs", "/runs", "/sessions/s1"]);
    expect(client.getState()).toMatchObject({ pending: [], messages: [message], error: undefined });
  });

  it("W4 retry() resolves to false if the history cannot be loaded", async () => {
    const { client } = hostile({ snapshot: () => null }, { sessionId: "s1" });
    await settled(client);
    expect(await client.retry()).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "protocol" });
  });
});

it.each([
  ["which is read from its beginning", 3, [text("A"), tool("c1"), done, text("B")]],
  ["which continues an answer", 7, [text("B")]],
])("X3 a page that is loaded during a run, %s, shows its output once", async (_, seq, events) => {
  const call = {
    type: "tool",
    key: "k2",
    callId: "c1",
    toolName: "look",
    arguments: {},
    phase: "done",
    result: 1,
  };
  const parts = [
    { type: "text", key: "k1", text: "A", open: false },
    { ...call, resultSeq: 5 },
  ];
  const answer = { id: "m2", role: "assistant", text: "A", parts, seq: 4 };
  const output = held();
  const { client } = hostile(
    {
      snapshot: () => ({ ...idle, messages: [message, answer], run: { id: "r1", seq, open: true } }),
      replay: () => stream(output.body),
    },
    { sessionId: "s1" },
  );
  await when(client, ({ phase }) => phase === "streaming");
  output.send(ack, ...events);
  const state = await when(client, (state) => lastText(state).endsWith("B"));
  expect([state.messages.length, lastText(state)]).toEqual([2, "A\n\nB"]);
  expect(state.messages[1]?.parts.filter(({ type }) => type === "tool")).toHaveLength(1);
});
