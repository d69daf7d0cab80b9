import { expect, it } from "vitest";
import { type Judge, protocolJudge } from "../src/connect/judge.ts";
import type { Transport } from "../src/connect/sdk.ts";
import { newTraffic } from "../src/connect/traffic.ts";
import { watched } from "../src/connect/watched.ts";

type Message = Parameters<Transport["send"]>[0];

/** A transport whose server sends what the test says. `seen` has what reaches the SDK, `sent` what the server gets. */
function world(params: object = {}, judge: Judge = () => undefined) {
  let now = 0;
  const seen: Message[] = [];
  const sent: Message[] = [];
  const send = async (message: Message) => void sent.push(message);
  const transport = watched(
    { start: async () => {}, send, close: async () => {} },
    judge,
    newTraffic(() => now),
  );
  transport.onmessage = (message) => void seen.push(message);
  const receive = (message: object) => transport.onmessage?.({ jsonrpc: "2.0", ...message } as Message, {});
  const request = (method: string) => transport.send({ jsonrpc: "2.0", id: 1, method, params } as Message);
  return {
    seen,
    sent,
    receive,
    request,
    call: () => request("tools/call"),
    answer: () => receive({ id: 1, result: { content: [] } }),
    /** Sends this many messages, and lets time pass after each of them. */
    send: (count: number, message: object, seconds: number) => {
      for (let n = 0; n < count; n += 1) {
        receive("id" in message ? { ...message, id: `s${n}` } : message);
        now += seconds * 1_000;
      }
    },
    failed: () => seen.filter((message) => "error" in message).length > 0,
  };
}

const ping = { id: "s", method: "ping" };
const progress = { method: "notifications/progress", params: { progressToken: 1, progress: 1 } };

it("B7 T14 a call of ten minutes takes a ping in each second, and its answer after them", async () => {
  const { seen, call, answer, send, failed } = world();
  await call();
  send(600, ping, 1);
  answer();
  expect(seen).toHaveLength(601);
  expect(failed()).toBe(false);
});

it("B7 T14 an idle connection answers pings, too", async () => {
  const { seen, call, answer, send } = world();
  await call();
  answer();
  send(60, ping, 5);
  expect(seen).toHaveLength(61);
});

it.each([
  ["nine requests at once", ping, 9, 0, 8],
  ["two requests in each second", ping, 100, 0.5, 15],
  ["10,001 notifications at once", progress, 10_001, 0, 10_000],
  ["10,001 answers that nobody waits for", { result: {}, id: "s" }, 10_001, 0, 10_000],
])("B7 T14 %s fail the call", async (_, message, count, seconds, most) => {
  const { seen, call, send, failed } = world();
  await call();
  send(most, message, seconds);
  expect(failed()).toBe(false);
  send(count - most, message, seconds);
  expect(failed()).toBe(true);
  expect(seen.filter((one) => "error" in one)).toMatchObject([{ id: 1 }]);
});

it("B7 T14 a server whose protocol has no requests of servers gets none answered, however long it waits", async () => {
  const { call, send, failed } = world({
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
  });
  await call();
  send(100, progress, 60);
  expect(failed()).toBe(false);
  send(1, ping, 0);
  expect(failed()).toBe(true);
});

it("B7 T14 a question with many mistakes is refused, and never reaches the SDK", async () => {
  const { seen, sent, call, receive } = world({}, await protocolJudge());
  await call();
  const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1]));
  const params = { message: "?", requestedSchema: { type: "object", properties } };
  receive({ id: "s1", method: "elicitation/create", params });
  expect(seen).toEqual([]);
  expect(sent.slice(1)).toMatchObject([{ id: "s1", error: { code: -32_602 } }]);
  expect(JSON.stringify(sent.slice(1)).length).toBeLessThan(2_000);
});

it("B7 T14 the SDK sees no schema or metadata with more than 20,000 values, and the tools beside it as they are", async () => {
  const { seen, receive, request } = world();
  const schema = (values: number) => ({ type: "object", properties: {}, enum: Array(values).fill(1) });
  const tools = [
    { name: "input", inputSchema: schema(20_000) },
    { name: "output", inputSchema: schema(1), outputSchema: schema(20_000) },
    { name: "small", inputSchema: schema(19_997), outputSchema: schema(19_997), _meta: { a: 1 } },
    { name: "told", inputSchema: schema(1), _meta: { a: Array(20_000).fill(1) } },
  ];
  await request("tools/list");
  receive({ id: 1, result: { nextCursor: "x", tools } });
  const marked = { type: "object", "x-pawl-too-many-values": true };
  expect(seen).toEqual([
    {
      jsonrpc: "2.0",
      id: 1,
      result: {
        // The SDK would validate the list as a whole.
        tools: [],
        "pawl/list": {
          nextCursor: "x",
          listed: [
            { name: "input", inputSchema: marked },
            { ...tools[1], outputSchema: marked },
            tools[2],
            { ...tools[3], _meta: {} },
          ],
        },
      },
    },
  ]);
});
