/**
 * A way to fill a value from outside. `json(bytes)` returns a JSON text of about so many bytes: some have
 * more, none has twice as many.
 */
export interface Shape {
  name: string;
  json(bytes: number): string;
}

/** Repeats a text until it has so many bytes. */
const repeated = (text: string, bytes: number) =>
  text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))));

const many = (one: string): Shape["json"] => {
  return (bytes) => `[${repeated(`${one},`, bytes - one.length - 2)}${one}]`;
};

const numbered = (one: (at: number) => string, [open, close]: readonly [string, string]): Shape["json"] => {
  return (bytes) => {
    const all: string[] = [];
    for (let length = 2, at = 0; length < bytes; at += 1) {
      all.push(one(at));
      length += Buffer.byteLength(all.at(-1) ?? "") + 1;
    }
    return `${open}${all.join(",")}${close}`;
  };
};

const nested = (open: string, close: string, end = "1"): Shape["json"] => {
  return (bytes) => {
    const levels = Math.max(1, Math.floor(bytes / (open.length + close.length)));
    return `${open.repeat(levels)}${end}${close.repeat(levels)}`;
  };
};

const text = (one: string): Shape["json"] => {
  // Written with its escapes, e.g. `\u0000` has six bytes.
  return (bytes) => `"${repeated(one, bytes - 2)}"`;
};

const list = ["[", "]"] as const;
const object = ["{", "}"] as const;
const blockList = (block: object) => many(JSON.stringify(block));

/** Many small values, deep ones, wide ones, long texts, numbers, keys, Unicode, and what servers and models send. */
export const SHAPES: readonly Shape[] = Object.entries<Shape["json"]>({
  "many numbers": many("1"),
  "many empty objects": many("{}"),
  "many empty lists": many("[]"),
  "many empty texts": many('""'),
  "many nulls": many("null"),
  "many different texts": numbered((at) => `"${at.toString(36)}"`, list),
  "many keys": numbered((at) => `"k${at.toString(36)}":0`, object),
  "many numbers as keys": numbered((at) => `"${at}":0`, object),
  "one key again and again": numbered(() => '"k":{}', object),
  "`__proto__` again and again": numbered(() => '"__proto__":{"a":1}', object),
  "keys that objects inherit": many('{"constructor":{"prototype":{}},"toString":1,"valueOf":2}'),
  "deep lists": nested("[", "]"),
  "deep objects": nested('{"a":', "}"),
  "deep and wide": nested('[{"a":[0,0,0,', "]}]"),
  "many of 90 levels": many(nested("[", "]")(180)),
  "many of 400 levels": many(nested("[", "]")(800)),
  "a table": many(`[${"0,".repeat(99)}0]`),
  "equal objects": many('{"a":1,"b":[1,2],"c":{"d":null}}'),
  "objects with equal keys in turn": many('{"a":1,"b":2},{"b":2,"a":1}'),
  "one long text": text("a"),
  "one long text for a regular expression": text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
  "one text of spaces": text(" "),
  "one text of line ends": text("\\n"),
  "one text of quotes": text('\\"'),
  "one text of NUL": text("\\u0000"),
  "one text of half surrogates": text("\\ud800"),
  "one text of other directions": text("\u202e\u2066\u061c"),
  "one text of combining marks": text("a\u0300\u0301\u0302\u0303"),
  "one text of emoji": text("👩‍👩‍👧‍👦"),
  "one text of tags": text("<a href=x><b>"),
  "one text of Markdown": text("[![`*_~["),
  "one text of data URLs": text("data:image/png;base64,"),
  "one text of base64": text("iVBORw0K"),
  "one long number": (bytes) => repeated("9", bytes),
  "one long fraction": (bytes) => `0.${repeated("1", bytes)}`,
  "many numbers beyond doubles": many("1E400"),
  "one long key": (bytes) => `{"${repeated("k", bytes - 6)}":1}`,
  "long keys": numbered((at) => `"${at}${"k".repeat(1_000)}":1`, object),
  "text parts": blockList({ type: "text", text: "a" }),
  "unknown parts": blockList({ type: "x-unknown", text: { text: [] } }),
  "file parts": blockList({ type: "file", data: "AAAA", mediaType: "image/png", url: "data:,a" }),
  "tool calls": blockList({ type: "tool-x", toolCallId: "1", state: "output-available", output: {} }),
  "messages of a user": blockList({
    id: "m",
    role: "user",
    content: "a",
    parts: [{ type: "text", text: "a" }],
  }),
  "messages of a tool": blockList({ id: "m", role: "tool", toolCallId: "c", content: "a" }),
  "answers to calls": blockList({ callId: "c", value: {} }),
  "tools of a server": numbered(
    (at) => JSON.stringify({ name: `t${at}`, description: "d", inputSchema: { type: "object" } }),
    list,
  ),
  "schemas in schemas": nested('{"type":"object","properties":{"a":', "}}", "{}"),
  "references to references": (bytes) => {
    const both = (at: number) => `{"$ref":"#/$defs/d${at}"}`;
    const of = numbered((at) => `"d${at}":{"allOf":[${both(at + 1)},${both(at + 1)}]}`, object)(bytes);
    return `{"$defs":${of},"$ref":"#/$defs/d0"}`;
  },
  "a schema with a long name and many schemas below it": (bytes) => {
    const below = repeated("{},", bytes / 2);
    return `{"type":"object","properties":{"${repeated("k", bytes / 2)}":{"allOf":[${below}{}]}}}`;
  },
  "a schema that depends on many names": (bytes) => {
    const names = numbered((at) => `"b${at}"`, list)(bytes - 50);
    return `{"type":"object","dependentRequired":{"a":${names}}}`;
  },
  "a schema that requires many unknown names": (bytes) => {
    const fields = numbered((at) => `"a${at}":{}`, object)(bytes / 2);
    return `{"type":"object","properties":${fields},"required":${numbered((at) => `"z${at}"`, list)(bytes / 2)}}`;
  },
  "one enum": (bytes) => `{"type":"string","enum":${numbered((at) => `"${at}"`, list)(bytes - 30)}}`,
}).map(([name, json]) => ({ name, json }));
