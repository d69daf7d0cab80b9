import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { readCalls } from "../src/calls.ts";
import { chunk, client, read, stopOf, stream } from "./support.ts";

/** A server that writes without end, until it is hung up on. */
async function endless(delta: object) {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = `data: ${JSON.stringify(chunk(delta))}\n\n`;
    const writing = setInterval(() => response.write(piece), 1);
    response.on("close", () => {
      clearInterval(writing);
      closed.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closed: closed.promise,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

it.each([
  ["text", { content: "word ".repeat(20) }],
  ["reasoning", { reasoning_content: "hmm ".repeat(20) }],
  ["reasoning by its other name", { reasoning: "hmm ".repeat(20) }],
])("L8 O1 cuts an endless answer of %s, and counts it as all that was asked for", async (_title, delta) => {
  await using server = await endless(delta);
  const { events } = await read(client(server));
  expect(stopOf(events)).toBe("max_tokens");
  expect(events.at(-2)).toMatchObject({ usage: { output_tokens: 100 } });
  await server.closed;
});

it.each([
  ["without names", (n: number) => ({ index: n, id: `c${n}` })],
  ["without names and indexes", (n: number) => ({ id: `c${n}` })],
  ["of one index, without names", (n: number) => ({ index: 0, id: `c${n}` })],
  ["with ids of any length", (n: number) => ({ index: n, id: `${n}`.padEnd(2_000, "c") })],
])("L8 cuts an endless answer of calls %s", async (_title, callAt) => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(out) {
      const piece = JSON.stringify(chunk({ tool_calls: [callAt(sent)] }));
      sent += 1;
      out.enqueue(new TextEncoder().encode(sent > 2_000 ? "data: [DONE]\n\n" : `data: ${piece}\n\n`));
      if (sent > 2_000) out.close();
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const { events } = await read(client({ url: "http://localhost" }, { fetch }));
  expect(stopOf(events)).toBe("max_tokens");
  expect(sent).toBeLessThan(300);
});

it("B7 looks through no list of calls for the call of a piece", () => {
  const calls = readCalls({ idOf: (id) => `${id}`, nextBlock: () => 0, model: "m" });
  const searches = (["find", "findLast", "filter", "some"] as const).map((name) =>
    vi.spyOn(Array.prototype, name),
  );
  for (let index = 0; index < 100; index += 1) calls.take({ index, id: `c${index}` });
  for (let n = 0; n < 100; n += 1) calls.take({ index: 0, id: `d${n % 50}` });
  const looked = searches.map((search) => search.mock.calls.length);
  for (const search of searches) search.mockRestore();
  expect(looked).toEqual([0, 0, 0, 0]);
  expect(calls.count()).toBe(150);
});

it("B7 shortens an answer's id, model and reason to end, and keeps only counts of its tokens", async () => {
  const long = "E".repeat(100_000);
  const usage = { prompt_tokens: 5, completion_tokens: 1, [long]: 1, service_tier: long };
  const last = {
    id: long,
    model: long,
    choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: long }],
  };
  const { events } = await stream([{ ...last, usage }, "[DONE]"]);
  expect(events[0]).toMatchObject({ message: { id: "E".repeat(1_000), model: "E".repeat(1_000) } });
  expect(stopOf(events)).toBe("E".repeat(100));
  expect(JSON.stringify(events).length).toBeLessThan(4_000);
});

it("B7 keeps 200 characters of each field of a failure besides its message", async () => {
  const long = "E ".repeat(50_000);
  const { error } = await stream([{ error: { message: long, type: long, code: long } }]);
  expect(error?.details).toMatchObject({ type: "E ".repeat(100), errorCode: "E ".repeat(100) });
  expect(error?.message.length).toBeLessThanOrEqual(2_000);
});

it("L8 does not cut a tool's input in which the server escapes every character beyond ASCII", async () => {
  const words = "Расскажи мне подробнее о целях на эту неделю. ".repeat(6);
  const ascii = words.replace(/[^\0-\x7f]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const call = { name: "look", arguments: `{"words":"${ascii}"}` };
  const chunks = [chunk({ tool_calls: [{ index: 0, id: "c1", function: call }] }), chunk({}, "tool_calls")];
  const packets = [...chunks.map((one) => JSON.stringify(one)), "[DONE]"];
  // Each in a packet of its own.
  const body = ReadableStream.from(packets).pipeThrough(
    new TransformStream({
      transform: (one, out) => out.enqueue(new TextEncoder().encode(`data: ${one}\n\n`)),
    }),
  );
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(body, { headers });
  const { events } = await read(client({ url: "http://localhost" }, { fetch }));
  expect(stopOf(events)).toBe("tool_use");
});
