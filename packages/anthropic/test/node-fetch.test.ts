import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import type { Dispatcher } from "../src/dispatcher.ts";
import { nodeFetch } from "../src/node-fetch.ts";

const SHARED = Symbol.for("undici.globalDispatcher.1");
const global: { [at: symbol]: Dispatcher | undefined } = globalThis as never;
const send = nodeFetch();
const post = { method: "POST", body: new TextEncoder().encode("{}"), headers: new Headers({ "x-a": "b" }) };
afterEach(() => vi.unstubAllGlobals());

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`;
}

it("sends over the dispatcher that is set for the process, e.g. that of a proxy, and waits without a limit", async () => {
  const url = await serve((request, response) => response.end(String(request.headers["x-a"])));
  const own = global[SHARED] as Dispatcher;
  const dispatch = vi.fn<Dispatcher["dispatch"]>((...args) => own.dispatch(...args));
  global[SHARED] = { dispatch };
  onTestFinished(() => {
    global[SHARED] = own;
  });
  expect(await (await send(url, post)).text()).toBe("b");
  expect(dispatch).toHaveBeenCalledOnce();
  expect(dispatch.mock.calls[0]?.[0]).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
});

it("sends over the global fetch where there is no dispatcher, and whatever is no message", async () => {
  const url = "http://127.0.0.1:9/v1/messages";
  const fetch = vi.fn(async () => new Response("ok"));
  vi.stubGlobal("fetch", fetch);
  expect(await (await send(url.replace("messages", "token"), post)).text()).toBe("ok");
  const own = global[SHARED];
  global[SHARED] = undefined;
  onTestFinished(() => {
    global[SHARED] = own;
  });
  expect(await (await send(url, post)).text()).toBe("ok");
  expect(fetch).toHaveBeenCalledTimes(2);
});

it("holds the connection up while nobody reads, and brings every byte", async () => {
  const part = Buffer.alloc(65_536, "x");
  let sent = 0;
  const url = await serve(async (_request, response) => {
    for (let n = 0; n < 512; n += 1) {
      sent += part.length;
      if (!response.write(part)) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
  });
  const response = await send(url, post);
  let before = -1;
  // Until the server can write no more: what waits lies in the sockets of both sides.
  while (before !== sent) {
    before = sent;
    await pause(200, "the server writes nothing more in this time");
  }
  expect(sent).toBeLessThan(512 * part.length);
  expect((await response.text()).length).toBe(512 * part.length);
});

it("L9 rejects with the reason when aborted before there is a connection, and sends nothing then", async () => {
  const asked = vi.fn<RequestListener>((_request, response) => void response.end());
  const url = await serve(asked);
  const control = new AbortController();
  const sent = send(url, { ...post, signal: control.signal });
  const reason = new Error("Never mind.");
  control.abort(reason);
  await expect(sent).rejects.toBe(reason);
  await expect(send(url, { ...post, signal: control.signal })).rejects.toBe(reason);
  // The next one has the connection to itself.
  await (await send(url, post)).text();
  expect(asked).toHaveBeenCalledOnce();
});

it("L12 reads what came before a connection was lost, and then breaks off as fetch does", async () => {
  let lose = () => {};
  const url = await serve((_request, response) => {
    response.write("half");
    lose = () => response.destroy();
  });
  const response = await send(url, post);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("half");
  lose();
  await expect(reader.read()).rejects.toThrow(TypeError);
});

it("L12 a header that is no ASCII takes away neither a failure's status nor how long to wait", async () => {
  const server = createTcpServer((socket) => {
    const proxy = Buffer.from("x-proxy: \u670d\u52a1\r\n");
    socket.once("data", () => {
      socket.write("HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\n");
      socket.write(proxy);
      socket.end("content-length: 2\r\n\r\n{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`;
  const [own, usual] = [await send(url, post), await fetch(url, post)];
  expect(own.status).toBe(429);
  expect(own.headers.get("retry-after")).toBe("3");
  expect(own.headers.get("x-proxy")).toBe(usual.headers.get("x-proxy"));
});
