import { expect, it, onTestFinished } from "vitest";
import { hostileMcp, listed } from "../../../test/attacks/parts/hostile-mcp.ts";
import { modelSchema } from "../src/tools/model-schema.ts";
import { formatResult, resultOf } from "../src/tools/result.ts";
import { shortProgress } from "../src/tools/short-progress.ts";
import { connectTo } from "./support/servers.ts";
import { world } from "./support/world.ts";

it("B7 F24 a tool whose name has invisible characters is left out, and reported without them", async () => {
  const tools = [listed(), listed({ name: "it\u200b" }), listed({ name: "i\u{e0074}t\u202e" })];
  const server = connectTo({ fetch: hostileMcp({ tools: () => tools }) }, { protocol: "legacy" });
  onTestFinished(() => server.close());
  const one = world([server], [{ text: "Ok." }]);
  const { sessionId } = await one.say("Go");
  const [prefix] = await one.of(sessionId, "prefix");
  expect(prefix?.data.tools?.map(({ name }) => name)).toEqual(["mcp__test__it"]);
  expect(one.errors).toEqual(['test: The tools "it", "it": its name has invisible characters.']);
});

it("B7 B9 F24 nothing that a model reads of a schema is invisible, whatever its place", () => {
  const mark = "\u{e0069}\u200b";
  const field = { type: "string", description: `A${mark}` };
  const given = {
    type: "object",
    properties: {
      default: field,
      size: { enum: ["S", `L${mark}`], default: `S${mark}` },
      only: { const: mark },
      odd: { type: "string", format: `date${mark}`, pattern: `^a${mark}`, enum: [mark] },
      deep: { type: "object", default: { [mark]: [mark] } },
      one: { $ref: `#/$defs/D${mark}` },
      two: { $ref: "#/$defs/E" },
    },
    $defs: { [`D${mark}`]: field, E: { const: { a: mark } } },
    anyOf: [{ required: ["size"], description: mark }],
  };
  const made = modelSchema(given);
  expect(JSON.stringify(made)).not.toMatch(/[\u200b\u{e0069}]/u);
  expect(made).toMatchObject({
    schema: { properties: { default: { type: "string", description: "A" }, size: { enum: ["S"] } } },
  });
});

it("B7 B9 F24 a failed tool's message, and what stands for content, has no invisible characters", () => {
  const content = [
    { type: "resource_link", uri: "a:b", name: "N\u202e", description: "D\u{e0041}", mimeType: "t\u200b" },
    { type: "audio\u{e0041}" },
    { type: "image", mimeType: "x\u200b" },
    { type: "resource", resource: { uri: "a:c\u{e0041}", mimeType: "y\u200b" } },
  ];
  expect(formatResult({ content })).toBe(
    "[resource N <a:b> (t): D]\n[content of the type audio]\n[an image of the type x, which cannot be shown]\n[the resource <a:c> of the type y, which cannot be shown]",
  );
  const failed = { content: [{ type: "text", text: "No\u001b[31m.\u202e" }], isError: true } as never;
  expect(() => resultOf(failed, [])).toThrow(/^No\[31m\.$/);
});

it("B7 F24 a report of progress is shown without invisible characters", () => {
  expect(shortProgress({ progress: 1, message: "\u202eHalf\u{e0041} done\u0007" })).toEqual({
    progress: 1,
    message: "Half done",
  });
});
