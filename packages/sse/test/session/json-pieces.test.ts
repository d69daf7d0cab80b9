import fc from "fast-check";
import { expect, it } from "vitest";
import { addJson, newPieces } from "../../src/session/json-pieces.ts";

function written(body: object): { text: string; sizes: number[]; bytes: number } {
  const json = newPieces();
  addJson(json, body);
  const pieces = json.all();
  const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  return { text, sizes: pieces.map(({ length }) => length), bytes: json.bytes };
}

it("B7 an answer that is written in pieces is what JSON.stringify makes of it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
      expect(written(body).text).toBe(JSON.stringify(body));
    }),
  );
  for (const body of [
    {},
    { a: undefined, b: [], c: [undefined, () => 1, "x"], d: () => 1, e: new Date(0) },
    { list: [[1], { a: [2] }], half: "\ud800" },
    [1, 2],
    { toJSON: () => ({ a: 1 }) },
  ])
    expect(written(body).text).toBe(JSON.stringify(body));
});

it("B7 an answer has pieces of a bounded size, but for its largest item, and says how many bytes they have", () => {
  const item = "é".repeat(10_000);
  const { text, sizes, bytes } = written({ events: Array.from({ length: 100 }, () => item) });
  expect(bytes).toBe(Buffer.byteLength(text));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(200_000);
});
