import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEvent } from "../src/parse-event.ts";

const kinds = [
  ["text_delta", "text"],
  ["input_json_delta", "partial_json"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "signature"],
  ["text_delta", "thinking"],
  ["type", "type"],
  ["__proto__", "__proto__"],
] as const;

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};

const piece = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "\n", "\u0000", "\u2028", "}", "é", "\ud83d") }),
);

const delta = fc
  .tuple(fc.constantFrom(...kinds), fc.nat(), piece, fc.nat({ max: 3 }))
  .map(([[type, field], index, text, pad]) => {
    const event = `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${JSON.stringify(text)}}`;
    return `${event}${" ".repeat(pad)}}`;
  });

describe("an event of the stream", () => {
  it("is read as JSON has it", () => {
    const same = fc.property(delta, (data) => {
      expect(parseEvent(data)).toStrictEqual(parsed(data));
    });
    fc.assert(same, { numRuns: 2_000 });
  });

  it("is no event where JSON has none", () => {
    const broken = fc
      .tuple(delta, fc.nat(), fc.nat({ max: 3 }), piece)
      .map(
        ([data, at, cut, put]) =>
          data.slice(0, at % data.length) + put + data.slice((at % data.length) + cut),
      );
    const same = fc.property(broken, (data) => {
      expect(parseEvent(data)).toStrictEqual(parsed(data));
    });
    fc.assert(same, { numRuns: 5_000 });
  });
});
