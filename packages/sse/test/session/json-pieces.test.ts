import fc from "fast-check";
import { expect, it } from "vitest";
import { addJson, newPieces } from "../../src/session/json-pieces.ts";

async function written(body: object): Promise<{ text: string; sizes: number[]; bytes: number }> {
  const json = newPieces();
  await addJson(json, body);
  const pieces = json.all();
  const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  return { text, sizes: pieces.map(({ length }) => length), bytes: json.bytes };
}

it("B7 an answer that is written in pieces is what JSON.stringify makes of it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
      expect((await written(body)).text).toBe(JSON.stringify(body));
    }),
  );
  for (const body of [
    {},
    { a: undefined, b: [], c: [undefined, () => 1, "x"], d: () => 1, e: new Date(0) },
    { list: [[1], { a: [2] }], half: "\ud800" },
    [1, 2],
    { toJSON: () => ({ a: 1 }) },
  ])
    expect((await written(body)).text).toBe(JSON.stringify(body));
});

it("B7 an answer has pieces of a bounded size, but for its largest item, and says how many bytes they have", async () => {
  const item = "é".repeat(10_000);
  const { text, sizes, bytes } = await written({ events: Array.from({ length: 100 }, () => item) });
  expect(bytes).toBe(Buffer.byteLength(text));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(200_000);
});

it("B8 an answer with many items gives way to the event loop after 500 of them", async () => {
  let given = 0;
  let most = 0;
  let isOver = false;
  const turn = () => {
    given = 0;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const toJSON = () => {
    given += 1;
    most = Math.max(most, given);
    return given;
  };
  await written({ messages: Array.from({ length: 5_000 }, () => ({ toJSON })) });
  isOver = true;
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(1_000);
});
