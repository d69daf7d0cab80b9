import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventReader } from "../src/event-reader.ts";

const kinds = [
  ["text_delta", "text"],
  ["input_json_delta", "partial_json"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "signature"],
  ["text_delta", "thinking"],
  ["type", "type"],
  ["__proto__", "__proto__"],
] as const;

const piece = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "\n", "\u0000", "\u2028", "}", "é", "\ud83d") }),
);

/** A text as JSON, with escapes where none are needed. */
const written = fc.tuple(piece, fc.boolean()).map(([text, escaped]) => {
  const json = JSON.stringify(text);
  return escaped
    ? json.replaceAll(/[a-zé]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
});

const delta = fc
  .tuple(fc.constantFrom(...kinds), fc.nat(), written, fc.nat({ max: 3 }))
  .map(([[type, field], index, json, pad]) => {
    const event = `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${json}}`;
    return `${event}${" ".repeat(pad)}}`;
  });

/** Messages as the API writes them, and as it never has: of other types, with other line ends, in several lines, broken. */
const message = fc.oneof(
  { weight: 6, arbitrary: delta.map((data) => `event: content_block_delta\ndata: ${data}\n\n`) },
  fc
    .tuple(
      fc.constantFrom("content_block_delta", "ping", "message_stop", "error"),
      delta,
      fc.constantFrom("\n", "\r\n", "\r"),
    )
    .map(([type, data, end]) => `event: ${type}${end}data: ${data}${end}${end}`),
  delta.map((data) => `data: ${data}\nevent: content_block_delta\n\n`),
  delta.map((data) => `id: 7\nevent: content_block_delta\ndata: ${data}\n\n`),
  delta.map((data) => `event: content_block_delta\ndata: ${data.replace(":", ":\ndata: ")}\n\n`),
  delta.map((data) => `data: ${data}\n\n`),
  delta.map((data) => `event: content_block_delta\ndata: ${data}\ndata: 1\n\n`),
  delta.map((data) => `event: content_block_delta\ndata: ${data.replace(/"(?=\}+ *\}$)/, '""')}\n\n`),
  fc.constantFrom(
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: error\ndata: {"type":"error"}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\u12g4"}}\n\n',
    "event: error\ndata: overloaded\n\n",
    'event: ping\ndata:  {"type":"ping"} \n\n',
    'event:  ping\ndata: {"type":"ping"}\n\n',
    'event: \ndata: {"type":"ping"}\n\n',
    "event: ping\ndata: \n\n",
    "event: ping\ndata: {\n\n",
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":3}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":03}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"     }\n\n',
    'event: message_stop\ndata: {"type":"message_stop","index":1,"type":"x"}\n\n',
    ": still here\n\n",
    "\n",
    "\r",
    "\n\n",
    "event: ping\n",
    "\ufeff",
  ),
  fc.tuple(delta, fc.nat(), fc.nat({ max: 3 }), piece).map(([data, at, cut, put]) => {
    const broken = data.slice(0, at % data.length) + put + data.slice((at % data.length) + cut);
    return `event: content_block_delta\ndata: ${broken.replaceAll(/[\r\n]/g, "")}\n\n`;
  }),
);

type Heard = ["event", unknown] | ["error", string] | ["broken"];

/** Whether a message without a type names it in its JSON. */
function isTyped(data: string): boolean {
  try {
    return typeof JSON.parse(data)?.type === "string";
  } catch {
    return false;
  }
}

/** What the parsers say of the whole of it. */
function plainly(text: string): Heard[] {
  const heard: Heard[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data === "" || (event === undefined && !isTyped(data))) return;
      if (event === "error") return void heard.push(["error", data]);
      try {
        heard.push(["event", JSON.parse(data)]);
      } catch {
        heard.push(["broken"]);
      }
    },
  });
  parser.feed(text);
  return heard;
}

function inSlices(slices: readonly string[]): Heard[] {
  const heard: Heard[] = [];
  const feed = eventReader({
    onEvent: (event) => void heard.push(["event", event]),
    onError: (data) => void heard.push(["error", data]),
    onBroken: () => void heard.push(["broken"]),
  });
  for (const slice of slices) feed(slice);
  return heard;
}

describe("the text of an answer", () => {
  it("is read as the parsers read it, wherever it is cut", () => {
    const same = fc.property(fc.array(message), fc.array(fc.nat()), (messages, cuts) => {
      const text = messages.join("");
      // A byte order mark hides the name of an event. An error is then known by its data, as gateways send it.
      fc.pre(!text.includes("\ufeffevent: error"));
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted(
        (a, b) => a - b,
      );
      const slices = places.slice(1).map((end, at) => text.slice(places[at], end));
      expect(inSlices(slices)).toStrictEqual(plainly(text));
    });
    fc.assert(same, { numRuns: 3_000 });
  });

  it("R4 is read with any number of escapes in one delta", () => {
    for (const escapes of [1, 99, 100, 101, 1_000_000]) {
      for (const [text, json] of [
        ['"', '\\"'],
        ["é", "\\u00e9"],
      ] as const) {
        const data = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${json.repeat(escapes)}"}}`;
        const [heard] = inSlices([`event: content_block_delta\ndata: ${data}\n\n`]);
        expect(heard).toMatchObject(["event", { delta: { type: "text_delta", text: text.repeat(escapes) } }]);
      }
    }
  });

  it("is read the same with a byte order mark between its messages", () => {
    const one =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n';
    const text = `${one}\ufeff${one}${one}`;
    expect(inSlices([text])).toStrictEqual(plainly(text));
  });

  it("is read the same cut at every single place", () => {
    const text = [
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}\n\n',
      'event: ping\r\ndata: {"type":"ping"}\r\n\r\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"c"}}\n\n',
    ].join("");
    for (let at = 0; at <= text.length; at += 1) {
      expect(inSlices([text.slice(0, at), text.slice(at)])).toStrictEqual(plainly(text));
    }
  });

  it("B4 is read without the types of its messages, and with the end of another API", () => {
    const data = '{"type":"content_block_stop","index":3}';
    expect(inSlices([`data: ${data}\n\ndata: {"a":1}\n\ndata: half\n\ndata: [DONE]\n\n`])).toEqual([
      ["event", JSON.parse(data)],
    ]);
    const error = '{"error":{"message":"Gone"}}';
    expect(inSlices([`data: ${error}\n\n`, "event: ping\ndata: [DONE]\n\n"])).toEqual([["error", error]]);
  });
});
