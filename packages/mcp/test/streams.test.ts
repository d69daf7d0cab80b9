import { describe, expect, it } from "vitest";
import { boundedFetch } from "../src/connect/http.ts";
import { newTraffic } from "../src/connect/traffic.ts";
import { connectTo, serve } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const LEGACY = { protocol: "legacy" } as const;

const sse = (body: string | ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

/** A call of `it` at a server that answers it, and each `GET`, with what the test says. */
async function callWith(answer: (id: unknown) => Response) {
  let gets = 0;
  const served = serve(
    (server) => void server.registerTool("it", {}, async () => text("ran")),
    (request, body) => {
      if (request.method === "GET") {
        gets += 1;
        return answer(undefined);
      }
      const { id, method } = body === "" ? {} : JSON.parse(body);
      return method === "tools/call" ? answer(id) : undefined;
    },
  );
  const app = world([connectTo(served, LEGACY)], calls("it"));
  const { sessionId, stop } = await app.say("Go");
  expect(stop.type).toBe("end_turn");
  const { success, report } = await resultOf(app, sessionId);
  return { success, code: report?.code, gets };
}

/** A body of this piece again and again, and how many of them were read. */
function endless(piece: string, most: number) {
  let read = 0;
  const bytes = new TextEncoder().encode(piece);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (read === most) return controller.close();
      read += 1;
      controller.enqueue(bytes);
    },
  });
  return { body, read: () => read };
}

const result = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[]}}`;
const LOST = { success: false, code: "mcp_outcome_unknown" };

describe("a stream that breaks off", () => {
  it("F24 T14 is resumed twice, and the call fails if it breaks off again", async () => {
    const found = await callWith(() => sse("retry: 0\nid: 1\ndata: \n\n"));
    expect(found).toEqual({ ...LOST, gets: 2 });
  });

  it("F24 is resumed, and has the answer", async () => {
    let asked: unknown;
    const found = await callWith((id) => {
      asked ??= id;
      return sse(id === undefined ? `data: ${result(asked)}\n\n` : "retry: 0\nid: 1\ndata: \n\n");
    });
    expect(found).toEqual({ success: true, code: undefined, gets: 1 });
  });

  it("T14 is not resumed for a request that has ended, nor for one that never was", async () => {
    const sent: string[] = [];
    const target = {
      url: new URL("https://mcp.example.com/mcp"),
      headers: {},
      fetch: async (_: unknown, init?: RequestInit) => {
        sent.push(new Headers(init?.headers).get("last-event-id") ?? "");
        return sse("");
      },
      maxResponseBytes: 1_000,
    };
    const traffic = newTraffic(() => 0);
    const fetch = boundedFetch(target, traffic, () => undefined);
    const resume = async (token: string) =>
      (await fetch(target.url, { method: "GET", headers: { "last-event-id": token } })).status;
    for (const id of [1, 2])
      traffic.sent(id, { method: "tools/call", asksForTask: false }, false).token = `t${id}`;
    expect([await resume("t1"), await resume("t1"), await resume("t1")]).toEqual([200, 200, 405]);
    expect([await resume("t2"), await resume("other")]).toEqual([200, 405]);
    traffic.open.delete(2);
    expect(await resume("t2")).toBe(405);
    expect(sent).toEqual(["t1", "t1", "t2"]);
  });
});

describe("a stream of too many events", () => {
  it.each([
    ["events that are no messages", "data: {}\n\n"],
    ["empty events", "data:\r\n\r\n"],
    ["lines that are no fields", "x\n"],
    ["answers to nothing", 'data: {"jsonrpc":"2.0","id":"x","result":{}}\n\n'],
  ])("B7 T14 %s end the call, and are not read any further", async (_, event) => {
    const { body, read } = endless(event.repeat(1_000), 100);
    expect(await callWith(() => sse(body))).toEqual({ ...LOST, gets: 0 });
    expect(read()).toBeLessThan(20);
  });

  it("B7 T14 messages in a list of more than 10,100 are not looked at", async () => {
    const answer = (count: number) => (id: unknown) => {
      const junk = '{"jsonrpc":"2.0","method":"notifications/x"},'.repeat(count);
      return new Response(`[${junk}${result(id)}]`, { headers: { "content-type": "application/json" } });
    };
    expect(await callWith(answer(9_000))).toMatchObject({ success: true });
    expect(await callWith(answer(10_200))).toMatchObject(LOST);
  });

  it("B7 comments, names, ids and long data are no events of their own", async () => {
    const lines = `${": hello\nevent: message\nid: 1\nretry: 5\n".repeat(20_000)}${"data: \n".repeat(20_000)}`;
    const found = await callWith((id) => sse(`${lines}data: ${result(id)}\n\n`));
    expect(found).toEqual({ success: true, code: undefined, gets: 0 });
  });
});
