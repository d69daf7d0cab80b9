import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SessionEvent } from "@pawl/core";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../test/support/browser.ts";
import type { EncoderContext } from "../../sse/src/dialects/base/dialect.ts";
import { native } from "../../sse/src/dialects/native.ts";
import { type ServerSentEvent, sseParser } from "../src/wire/sse-parser.ts";

const browser = await startBrowser();

/** A body in the pieces in which it is sent. */
type Body = readonly Uint8Array[];

const bytes = (text: string) => new TextEncoder().encode(text);
const bom = "\uFEFF";
const HEARD = ["message", "a", "b"];

/** The rules of the standard one by one, after the titles of its own tests. */
const named: Record<string, string | Body> = {
  "a byte order mark is skipped": `${bom}data: 1\n\n`,
  "a second one is text": `${bom}${bom}data: 1\n\ndata: 2\n\n`,
  "half a byte order mark is text": [new Uint8Array([0xef, 0xbb]), bytes("data: 1\n\ndata: 2\n\n")],
  "one in pieces is skipped": [
    new Uint8Array([0xef]),
    new Uint8Array([0xbb]),
    new Uint8Array([0xbf]),
    bytes("data: 1\n\n"),
  ],
  "an empty line may follow it": `${bom}\r\ndata: 1\n\n`,
  "comments are skipped": "data: 1\n:\u0000\n:\r\ndata: 2\n: long\rdata: 3\n:data: fail\r:x\ndata: 4\n\n",
  "lines end with CR": "data: 1\rdata: 2\r\rdata: 3\r\r",
  "lines end with LF": "data: 1\ndata: 2\n\ndata: 3\n\n",
  "lines end with CRLF": "data: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n",
  "lines end in all three ways": "data: 1\r\ndata: 2\rdata: 3\n\r\ndata: 4\r\r",
  "a CRLF is cut in two": ["data: 1\r", "\n\r", "\ndata: 2\r", "\n\r", "\n"].map(bytes),
  "fields without a colon are empty": "data\ndata\n\ndata: 1\n\nid\ndata: 2\n\n",
  "one space is taken from the front": "data:  1\ndata:\t2\ndata: \n\n",
  "no data is no event": "event: a\n\nid: 1\n\ndata: 2\n\n",
  "empty data is one": "data:\n\ndata\n\n",
  "an empty type is message": "event: \ndata: 1\n\nevent: a\ndata: 2\n\ndata: 3\n\n",
  "the last type of an event counts": "event: a\nevent: b\ndata: 1\n\n",
  "the id stays": "id: 1\ndata: 1\n\ndata: 2\n\nid: 2\n\ndata: 3\n\n",
  "an empty id takes it back":
    "id: 1\ndata: 1\n\nid\ndata: 2\n\ndata: 3\n\nid: 5\ndata: 4\n\nid:\ndata: 5\n\n",
  "a NUL in an id makes it none": "id: 1\ndata: 1\n\nid: a\u0000b\ndata: 2\n\ndata: 3\n\n",
  "a NUL in data is kept": "data: \u0000\n\n",
  "what is not ended by an empty line is no event": "data: 1\n\ndata: 2\nid: 3\n",
  "unknown fields are skipped": "data: 1\nfoo: 2\n data: 3\nData: 4\ndata : 5\ndata2: 6\n\n",
  "retry takes digits only": "retry: 10x\ndata: 1\n\nretry: 1000\ndata: 2\n\nretry:\ndata: 3\n\n",
  "code points may be cut": [...bytes("data: ok … ünï😀\n\n")].map((byte) => new Uint8Array([byte])),
  "half a code point is a replacement": [bytes("data: a"), new Uint8Array([0xf0, 0x9f, 0x98]), bytes("\n\n")],
  "an overlong encoding is not a line break": [
    bytes("data: "),
    new Uint8Array([0xc0, 0x8a]),
    bytes("\n\ndata: 2\n\n"),
  ],
  "line separators of Unicode end nothing": "data: 1\u2028data: 2\u2029data: 3\u0085\u000b\u000c\n\n",
};

/** Anything like a stream, cut anywhere. */
const streams = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n") },
        {
          weight: 5,
          arbitrary: fc.constantFrom("data", "data:", "data: ", "data:  x", "data: é😀", "data: 1"),
        },
        {
          weight: 3,
          arbitrary: fc.constantFrom("id", "id: ", "id: 7", "id: \u0000", "event: a", "event: b", "event:"),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom(":", ": c", "retry: 5000", "x: y", bom, "\u0000", "\u2028", " "),
        },
      ),
      { maxLength: 24 },
    ),
    fc.array(fc.nat(), { maxLength: 6 }),
  )
  // After a byte order mark, Chromium takes one line end for a part of the next line; the standard does not.
  .filter(([parts]) => !new RegExp(`^${bom}[\\r\\n]`).test(parts.join("")))
  .map(([parts, cuts]): Body => cutAt(bytes(parts.join("")), cuts));

function cutAt(whole: Uint8Array, cuts: readonly number[]): Body {
  const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, n) => whole.slice(from, at[n] ?? whole.length));
}

function parsed(body: Body): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const feed = sseParser((event) => events.push(event));
  for (const chunk of body) feed(chunk);
  return events;
}

describe.skipIf(browser === undefined)(
  "W1 server-sent events, with the browser as the judge",
  { timeout: 120_000 },
  () => {
    let server: Server;
    let page: Page;
    let bodies: readonly Body[] = [];

    beforeAll(async () => {
      server = createServer(async ({ url = "/" }, response) => {
        if (url === "/")
          return void response.setHeader("content-type", "text/html").end("<title>judge</title>");
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const chunk of bodies[Number(url.slice(1))] ?? []) {
          response.write(chunk);
          // So that the pieces arrive as such.
          await new Promise(setImmediate);
        }
        response.end();
      }).listen(0);
      page = await browser!.newPage();
      await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    });
    afterAll(async () => {
      await closePages(browser);
      server?.close();
    });

    /** What the browser's own EventSource makes of these bodies. */
    const judged = async (all: readonly Body[]): Promise<ServerSentEvent[][]> => {
      bodies = all;
      return await page.evaluate(`Promise.all([0, 1, 2, 3].map(async (lane) => {
      const found = [];
      for (let n = lane; n < ${all.length}; n += 4) found.push([n, await new Promise((resolve) => {
        const events = [];
        const source = new EventSource("/" + n);
        const take = ({ type, data, lastEventId }) => events.push({ type, data, lastEventId });
        for (const type of ${JSON.stringify(HEARD)}) source.addEventListener(type, take);
        source.onerror = () => { source.close(); resolve(events); };
      })]);
      return found;
    })).then((lanes) => lanes.flat().sort(([a], [b]) => a - b).map(([, events]) => events))`);
    };

    it("parses each rule of the standard like the browser", async () => {
      const all = Object.values(named).map((body) => (typeof body === "string" ? [bytes(body)] : body));
      const theirs = await judged(all);
      for (const [n, title] of Object.keys(named).entries()) {
        expect(parsed(all[n] ?? []), title).toEqual(theirs[n]);
        // Cut at every byte, it is the same.
        const whole = Uint8Array.from((all[n] ?? []).flatMap((chunk) => [...chunk]));
        expect(parsed([...whole].map((byte) => Uint8Array.of(byte))), title).toEqual(theirs[n]);
      }
      expect(theirs.flat().length).toBeGreaterThan(40);
    });

    it("parses any input like the browser", async () => {
      const all = fc.sample(streams, Number(process.env.PAWL_RUNS ?? 300));
      const theirs = await judged(all);
      for (const [n, body] of all.entries()) {
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat([...body]));
        // A listener has to name its types.
        const heard = parsed(body).filter(({ type }) => HEARD.includes(type));
        expect(heard, JSON.stringify(text)).toEqual(theirs[n]);
      }
    });

    it("encodes events so that the browser reads them unchanged", async () => {
      const json = fc.jsonValue({ maxDepth: 2 });
      const hostile = fc.constantFrom(
        "\n\nid: 9\n\ndata: {}",
        "\r",
        "\u2028",
        "\u0000",
        "[DONE]",
        "😀",
        "\ud83d",
        bom,
      );
      const events = fc.sample(fc.record({ seq: fc.nat(), data: fc.oneof(json, hostile) }), 100).map(
        ({ seq, data }, n) =>
          (n % 2 === 0
            ? { type: "probe.event", seq: seq + 1, data }
            : {
                type: "tool_progress",
                data: { call_id: "c", tool_name: "t", data },
              }) as unknown as SessionEvent,
      );
      const { encode } = native().encoder({ from: { afterSeq: 0 } } as EncoderContext);
      const [read = []] = await judged([[bytes(`: pawl\n\n${events.flatMap(encode).join("")}`)]]);
      expect(read.map(({ data }) => JSON.parse(data))).toEqual(
        events.map((event) => JSON.parse(JSON.stringify(event))),
      );
      expect(read[0]?.lastEventId).toBe(String((events[0] as { seq?: number }).seq));
    });
  },
);
