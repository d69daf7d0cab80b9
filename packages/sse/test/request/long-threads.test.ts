import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { coach } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, type DialectRequest, handler } from "../../src/index.ts";
import { nodeListener } from "../../src/node.ts";
import { readThread } from "../../src/request/read-thread.ts";
import { httpAgent, say, talk } from "../support/agents.ts";
import { chat } from "../support/chat.ts";
import { type Served, serve } from "../support/served.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));
const kilobyte = 'words, "quoted", and é'.padEnd(1_000, ".");
const LONG = Array.from({ length: 20_000 }, (_, index) => index);
const MB = "x".repeat(1_000_000);

/** A dialect that remembers what its `parse` was given. */
function watched(dialect: Dialect) {
  const given: { body: unknown; earlier: readonly object[] }[] = [];
  const parse: Dialect["parse"] = (body, limits, earlier): DialectRequest | Promise<DialectRequest> => {
    given.push({ body, earlier });
    return dialect.parse(body, limits, earlier);
  };
  return { given, dialect: { ...dialect, parse } };
}

describe("W2 threads that are longer than the limit of a body", () => {
  for (const version of [6, 7] as const) {
    it(`are read up to their last message (AI SDK ${version}, 20,000 messages)`, async () => {
      const { given, dialect } = watched(aiSdk());
      const served = await serve(hello(), { dialect });
      const messages = LONG.map((index) => ({
        id: `m${index}`,
        role: index % 2 === 0 ? "user" : "assistant",
        parts: [{ type: "text", text: kilobyte }],
      }));
      const talk = chat(version, served, { messages });
      await talk.sendMessage({ text: "Hi" });
      expect([talk.error, talk.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "Hello."]);
      const [{ body, earlier } = { earlier: [] }] = given;
      expect(body).toMatchObject({ messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }] });
      expect([earlier.length, earlier[0], earlier.at(-1)]).toEqual([
        200,
        { id: "m19800", role: "user" },
        { id: "m19999", role: "assistant" },
      ]);
    });

    it(`do not break at a message that was too large (AI SDK ${version})`, async () => {
      const served = await serve(hello(), { dialect: aiSdk() });
      const talk = chat(version, served);
      await talk.sendMessage({ text: MB });
      expect(talk.error?.message).toContain("at most 1000000 bytes");
      await talk.sendMessage({ text: "Hi" });
      expect([talk.error, talk.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "Hello."]);
    });
  }

  for (const version of ["0.0.59", "1.0"] as const) {
    it(`are read up to their last message (AG-UI ${version}, 20,000 messages)`, async () => {
      const served = await serve(hello(), { dialect: agUi() });
      const client = httpAgent(version, served);
      client.setMessages(
        LONG.map((index) => ({
          id: `m${index}`,
          role: index % 2 === 0 ? "user" : "assistant",
          content: kilobyte,
        })),
      );
      const events = await say(client, "Hi");
      expect(events.at(-1)?.type).toBe("RUN_FINISHED");
    });

    it(`do not break at a message that was too large (AG-UI ${version})`, async () => {
      const served = await serve(hello(), { dialect: agUi() });
      const client = httpAgent(version, served);
      // The client prints it.
      const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
      onTestFinished(() => quiet.mockRestore());
      await say(client, MB).catch(() => undefined);
      await say(client, "Hi");
      expect(talk(client).at(-1)).toBe("assistant Hello.");
    });
  }

  it("are read up to their last message behind express.json()", async () => {
    const pawl = runtime({
      agents: [agent({ name: "coach", model: hello(), instructions: "Be kind." })],
      store: memoryStore(),
    });
    const serving = handler({
      runtime: pawl,
      agent: "coach",
      authorize: () => ({ userId: "ada" }),
      dialect: aiSdk(),
    });
    const app = express().use(express.json({ limit: "10mb" }), nodeListener(serving));
    const server = app.listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const parts = [{ type: "text", text: kilobyte }];
    const messages = Array.from({ length: 5_000 }, (_, index) => ({ id: `m${index}`, role: "user", parts }));
    const page = chat(7, { url } as Served, { messages });
    await page.sendMessage({ text: "Hi" });
    expect([page.error, page.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "Hello."]);
  });

  it("are read up to their last message (coach), and not beyond `maxHistoryBytes`", async () => {
    const served = await serve(hello(), { dialect: coach(), maxHistoryBytes: 3_000_000 });
    const ask = async (count: number) => {
      const messages = Array.from({ length: count }, () => ({ role: "user", content: kilobyte }));
      return await served.ask("/runs", {
        json: { messages: [...messages, { role: "user", content: "Hi" }] },
      });
    };
    const read = await ask(2_900);
    expect([read.status, await read.text()]).toEqual([200, expect.stringContaining("Hello.")]);
    const refused = await ask(4_000);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      {
        error: {
          code: "too_large",
          message: "The history may have at most 3000000 bytes. Begin a new chat.",
        },
      },
    ]);
  });
});

/** Reads a body that comes in pieces of `size` bytes. */
async function read(
  body: string | Uint8Array,
  { size = 7, maxBodyBytes = 1_000, maxHistoryBytes = 100_000 } = {},
) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: stream, duplex: "half" };
  const request = new Request("http://localhost/", init as RequestInit);
  return await readThread(request, "messages", { maxBodyBytes, maxHistoryBytes });
}

/** What is expected of a body. */
function cutDown(body: object, messages: unknown) {
  if (!Array.isArray(messages)) return { body, earlier: [] };
  const all: ({ id?: string; role?: string } | null)[] = messages;
  const first = Math.max(
    0,
    all.findLastIndex((message) => message?.role !== "tool"),
  );
  const named = ({ id, role }: { id?: string; role?: string }) => (id === undefined ? {} : { id, role });
  const earlier = all.slice(0, first).map((message) => named(message ?? {}));
  return { body: { ...body, messages: all.slice(first) }, earlier };
}

const status = async (body: string | Uint8Array, limits = {}) =>
  await read(body, limits).then(
    () => 200,
    (error: { status: number }) => error.status,
  );

describe("P2 a thread that is read as a stream", () => {
  const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

  it("has the same result as the whole body, cut down, whatever the chunks", async () => {
    const user = (id: string, more = {}) => ({
      id,
      role: "user",
      content: '\\" [1, {"a": 2}] é 😀',
      ...more,
    });
    const tool = (id: string) => ({ id, role: "tool", toolCallId: `c${id}`, content: "{}" });
    const lists: unknown[] = [
      [],
      [user("1")],
      [user("1"), user("2", { messages: [1, 2] })],
      [user("1"), tool("2"), tool("3")],
      [1, null, "text", [["deep"]], {}],
      "no list",
      { messages: [1] },
    ];
    for (const messages of lists) {
      const body = {
        id: "a",
        other: { messages: [1, 2] },
        messages,
        'wei"rd': [["messages"]],
        z: "messages",
      };
      for (const text of [JSON.stringify(body), JSON.stringify(body, null, 3)]) {
        for (const size of [1, 2, 3, 1_000]) {
          expect(await read(text, { size })).toEqual(cutDown(body, messages));
        }
      }
    }
  });

  it("takes the last of two fields of one name, however its name is written", async () => {
    const body = (text: string) => read(text).then((thread) => thread.body);
    expect(await body('{"messages":[1,2],"messages":[3,4]}')).toEqual({ messages: [4] });
    expect(await body('{"messages":[1,2],"messages":"no list"}')).toEqual({ messages: "no list" });
    expect(await body('{"messages":"no list","\\u006dessag\\u0065s":[1,2]}')).toEqual({ messages: [2] });
    const named = (await body('{"__proto__":{"messages":[1]},"a":1}')) as object;
    expect(Object.getPrototypeOf(named)).toBe(Object.prototype);
    expect(Object.keys(named)).toEqual(["__proto__", "a"]);
  });

  it("reads invalid UTF-8 as the whole body would", async () => {
    const bytes = new TextEncoder().encode('\ufeff{"messages":[{"id":"a_b"},{"id":"c_"}],"d":"_"}');
    const broken = bytes.map((byte) => (byte === 0x5f ? 0xe2 : byte));
    const { messages, d } = JSON.parse(decoded(broken));
    for (const size of [1, 5, 1_000]) {
      expect(await read(broken, { size })).toEqual({
        body: { messages: messages.slice(-1), d },
        earlier: messages.slice(0, 1),
      });
    }
  });

  it("refuses invalid JSON, also in messages that are not kept", async () => {
    const bad = [
      "",
      "{",
      '{"messages":[',
      '{"messages":[1}',
      '{"messages":[1,]}',
      '{"messages":[,1]}',
      '{"messages":[1,,2]}',
      '{"messages":[\u00a0]}',
      '{"messages":[{]},2]}',
      '{"messages":[{"a":nul},2]}',
      '{"messages" [1]}',
      '{"messages":[1]]}',
      '{"messages":[1] [2]}',
      '{"messages":["a\nb",2]}',
      '{"messages":[1],}',
      '{"messages":[1]} {}',
    ];
    for (const text of bad) expect([text, await status(text)]).toEqual([text, 400]);
  });

  it("skips a message that is nested deeply, and refuses it as the last one", async () => {
    const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
    const limits = { size: 65_536, maxBodyBytes: 1_000_000 };
    expect(await read(`{"messages":[${deep},1]}`, limits)).toEqual({
      body: { messages: [1] },
      earlier: [{}],
    });
    const served = await serve(scriptedModel([]), { dialect: aiSdk() });
    const last = await served.ask("/runs", {
      body: `{"id":"c","messages":[${deep}]}`,
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    expect([last.status, await last.text()]).toEqual([400, expect.stringContaining("nested too deeply")]);
  });

  it("skips a message that is too large, and refuses it as the last one", async () => {
    const big = JSON.stringify({ id: "big", role: "user", content: "x".repeat(2_000) });
    const small = '{"id":"s","role":"user"}';
    expect(await read(`{"messages":[${small},${big},${small}]}`)).toEqual({
      body: { messages: [{ id: "s", role: "user" }] },
      earlier: [{ id: "s", role: "user" }, {}],
    });
    expect(await status(`{"messages":[${small},${big}]}`)).toBe(413);
    expect(await status(`{"messages":[${small}],"state":"${"x".repeat(990)}"}`)).toBe(413);
    expect(await status(`{"messages":${big}}`)).toBe(413);
    expect(await status(`{"messages":[${`${small},`.repeat(5_000)}1]}`)).toBe(413);
  });

  it("accepts a limited number of messages, in linear time", async () => {
    const limits = { size: 65_536, maxBodyBytes: 1_000_000, maxHistoryBytes: 10_000_000 };
    const many = (message: string, count: number) => `{"messages":[${Array(count).fill(message).join()}]}`;
    for (const message of ["1", '{"role":"tool"}']) {
      const { body, earlier } = await read(many(message, 100_000), limits);
      expect((body as { messages: unknown[] }).messages.length).toBe(message === "1" ? 1 : 200);
      expect(earlier).toHaveLength(200);
      expect(await status(many(message, 100_001), limits)).toBe(413);
    }
    const twice = '"messages":['.concat(`${"1,".repeat(60_000)}1]`);
    expect(await status(`{${twice},${twice}}`, limits)).toBe(413);
  }, 10_000);

  it("keeps as many results of tools before the last as there is room for", async () => {
    const tool = (id: string) => ({ id, role: "tool", content: "x".repeat(300) });
    const { body, earlier } = await read(
      JSON.stringify({ messages: ["1", "2", "3", "4", "5"].map(tool), x: 1 }),
    );
    expect(body).toEqual({ messages: [tool("4"), tool("5")], x: 1 });
    expect(earlier).toEqual(["1", "2", "3"].map((id) => ({ id, role: "tool" })));
  });
});
