import { expect, it } from "vitest";
import { toJsonSchema } from "../../src/index.ts";
import { untrustedSchema, withoutHidden, withoutHiddenIn } from "../../src/tools.ts";

it("T14 removes what does not show, and keeps what words and emoji need", () => {
  const hidden = [
    "\u0000\u001b\u007f\u0085",
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u3164",
    "\ufe00\ufeff\uffa0\ufff9\u{e0001}\u{e0041}\u{e0100}",
  ].join("");
  for (const mark of hidden) expect(withoutHidden(`a${mark}b`), mark.codePointAt(0)?.toString(16)).toBe("ab");
  const kept = "a\tb\r\nc می\u200cخواهم क्\u200dष 👩\u200d👩\u200d👧 ❤\ufe0f ᠠ\u180b 漢字 é e\u0301";
  expect(withoutHidden(kept)).toBe(kept);
});

it("T14 cleans the words of a schema, and neither its names nor its data", () => {
  const schema = {
    type: "object",
    title: "A\u200b",
    description: "B\u202e",
    properties: { description: { type: "string", description: "C\u{e0041}", enum: ["x\u200b"] } },
    allOf: [{ title: "D\u2066" }, { const: { title: "E\u200b" } }],
    required: ["description"],
  };
  const shown = {
    ...schema,
    title: "A",
    description: "B",
    properties: { description: { type: "string", description: "C", enum: ["x\u200b"] } },
    allOf: [{ title: "D" }, { const: { title: "E\u200b" } }],
  };
  expect(withoutHiddenIn(schema)).toEqual(shown);
  expect(toJsonSchema(untrustedSchema(schema), "answers")).toEqual(shown);
});
