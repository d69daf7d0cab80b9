import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import type { Json } from "../../src/index.ts";
import { outputsIn } from "../../src/tools/output-in-answer.ts";

const spec = { name: "final_answer", description: "x", input_schema: {} };
const inText = (text: string, isWrapped = false) => outputsIn([{ type: "text", text }], { spec, isWrapped });
const a = { a: 1 };
const json = JSON.stringify(a);

describe("the outputs in a text", () => {
  it.each<[string, string, Json[]]>([
    ["JSON", ` ${json}\n`, [a]],
    ["JSON after a byte order mark", `\ufeff${json}`, [a]],
    ["JSON in prose", `Here it is: ${json} That is all.`, [a]],
    ["a list in prose", "Here: [1, 2].", [[1, 2]]],
    ["a fence", `Here:\n\`\`\`json\n${json}\n\`\`\`\nIn {braces}.`, [a]],
    ["a fence with other line ends", `\`\`\`JSON\r\n${json}\r\n\`\`\``, [a]],
    ["a fence without a language", `\`\`\`\n${json}\n\`\`\``, [a]],
    ["a fence that is not closed", `\`\`\`json\n${json}`, [a]],
    [
      "two fences, the last one first",
      '```json\n{"b":2}\n```\nBetter:\n```json\n{"a":1}\n```',
      [a, { b: 2 }],
    ],
    ["JSON after thinking", `<think>Maybe {"b":2}?</think>${json}`, [a]],
    ["a text after thinking", '<think>Hm.</think> "x"', ["x"]],
    ["thinking inside the JSON", '{"a":"</think>"}', [{ a: "</think>" }]],
    ["two objects", `${json} ${json}`, []],
    ["a cut object", json.slice(0, -1), []],
    ["prose", "It is warm.", []],
    ["nothing", "", []],
    ["too many levels", `${"[".repeat(600)}${"]".repeat(600)}`, []],
  ])("F2 are read from %s", (_, text, found) => {
    expect(inText(text)).toEqual(found);
  });

  it("F2 are read from a few fences only", () => {
    const fences = Array.from({ length: 99 }, (_, n) => `\`\`\`\n${n}\n\`\`\``).join("\n");
    expect(inText(fences)).toEqual([98, 97, 96]);
  });

  it("F2 are taken out of their field, if the model has put them there", () => {
    expect(inText('{"value":["x"]}', true)).toEqual([["x"], ["x"]]);
    expect(inText('["x"]', true)).toEqual([["x"]]);
    expect(inText('{"value":null}', true)).toEqual([null]);
  });

  it.each(["\n", " \n", "`\n", "\\", "{", "[", "```a"])(
    "F2 are found in time in a long text of %j",
    (part) => {
      const spentMs = processorTime();
      for (const start of ["", "```", "```json\n", '{"a":"'])
        inText(`${start}${part.repeat(100_000 / part.length)}x`);
      expect(spentMs()).toBeLessThan(2_000);
    },
  );
});

it("F2 reads the input of the call, whatever the text says", () => {
  const call = { type: "tool_use" as const, id: "t1", name: "final_answer", input: a };
  expect(outputsIn([{ type: "text", text: "{}" }, call], { spec, isWrapped: false })).toEqual([a]);
});
