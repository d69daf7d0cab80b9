import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, type ModelEvent, memoryStore, PawlError, runtime, tool } from "../src/index.ts";
import { setup } from "./support/setup.ts";

const user = { userId: "u1" };
const input = z.object({ text: z.string() });
const broken = (value: unknown, more: object = {}) =>
  tool({ name: "odd", description: "", input, execute: () => value, ...more });
const odd = { name: "odd", id: "toolu_1", input: { text: "" } };

/** Runs the tool, lets the model answer, and says something more: the session must stay usable. */
async function survives(world: ReturnType<typeof setup>): Promise<string> {
  const { sessionId } = await world.say("Go");
  expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
  expect(world.model.rejected).toEqual([]);
  return JSON.stringify(world.model.requests[1]?.messages[2]);
}
const after = [{ text: "Ok." }, { text: "Fine." }];

describe("what cannot poison a session", () => {
  it("C12 L2 text that follows a tool call in the model's answer", async () => {
    const content = [
      { type: "text", text: "Before" },
      { type: "tool_use", id: "toolu_1", name: "odd", input: { text: "" } },
      { type: "text", text: "After" },
    ];
    const world = setup([{ content, stop: "tool_use" }, ...after], { tools: [broken("done")] });
    await survives(world);
    expect(JSON.stringify(world.model.requests[1])).not.toContain("After");
  });

  it("L8 text that max_tokens cut off behind a call that was complete", async () => {
    const content = [
      { type: "text", text: "Before" },
      { type: "tool_use", id: "toolu_1", name: "odd", input: { text: "" } },
      { type: "text", text: "Long text behind the call" },
    ];
    const world = setup([{ content, clip: 6 }, ...after], { tools: [broken("done")] });
    const { sessionId, stop, actions } = await world.say("Go");
    expect({ type: stop.type, actions }).toEqual({ type: "max_tokens", actions: [] });
    expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
    expect(world.model.rejected).toEqual([]);
    expect(world.model.requests[1]?.messages[1]?.content).toEqual([{ type: "text", text: "Before" }]);
  });

  it.each([
    ["no text", () => [{ type: "text", text: "" }]],
    ["blank text", () => [{ type: "text", text: " \n" }]],
    ["a number", () => 5],
    ["null", () => null],
    ["a promise", async () => "later"],
    ["no blocks", () => ["x", 1]],
    ["a block that no result can have", () => [{ type: "video", url: "x" }]],
    ["an image without a source", () => [{ type: "image" }]],
    [
      "an error",
      () => {
        throw new Error("bad format");
      },
    ],
  ])("L7 a formatter that returns %s", async (_title, format) => {
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken("the result", { format })] });
    expect(await survives(world)).toContain("the result");
  });

  it.each([
    ["says nothing", new Error(""), "did not say why"],
    ["has half a surrogate pair", new Error("x😀".slice(0, 2)), "x\ufffd"],
    ["shows an escape", new Error("literally \\ud83d"), "ud83d"],
  ])("L7 an error that %s", async (_title, error, said) => {
    const tools = [broken(0, { execute: () => Promise.reject(error) })];
    const world = setup([{ tools: [odd] }, ...after], { tools, instructions: "Be kind \ud83d" });
    expect(await survives(world)).toContain(said);
  });

  it.each<[string, unknown, string]>([
    ["a bigint", 10n, "cannot be shown"],
    ["an error", new TypeError("as a value"), "as a value"],
    ["nothing", undefined, "null"],
    ["half a surrogate pair", "y\udc00", "y\ufffd"],
  ])("L7 a tool that returns %s has done its work all the same", async (_title, value, shown) => {
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken(value)] });
    expect(await survives(world)).toContain(shown);
    expect(JSON.stringify(world.model.requests[1])).not.toContain("is_error");
  });

  it.each<[string, ModelEvent[]]>([
    [
      "a block out of order",
      [{ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }],
    ],
    ["a block that is none", [{ type: "content_block_start", index: 0, content_block: null as never }]],
    [
      "a call without an id",
      [
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", name: "odd", input: {} },
        },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
      ],
    ],
  ])("L12 a model that streams %s", async (_title, events) => {
    const store = memoryStore();
    const model = {
      id: "odd",
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: "message_start", message: { id: "m", model: "odd" } };
        yield* events;
        yield { type: "message_stop" };
      },
    };
    const pawl = runtime({ agents: [agent({ name: "tester", model, instructions: "x" })], store });
    const { stop, sessionId } = await pawl.run("tester", { ...user, input: "Go" }).result;
    expect(stop.type).toBe("error");
    const next = setup([{ text: "Fine." }], {}, { store });
    expect((await next.say("More", { sessionId })).text).toBe("Fine.");
    expect(next.model.rejected).toEqual([]);
  });

  it("T3 a call whose input is no object", async () => {
    const content = [{ type: "tool_use", id: "toolu_1", name: "odd", input: "text" as never }];
    const world = setup([{ content, stop: "tool_use" }, ...after], { tools: [broken("x")] });
    expect(await survives(world)).toMatch(/no JSON object|does not fit/);
  });

  it("refuses a message that shows nothing, in any script", async () => {
    const { pawl } = setup([]);
    for (const text of [" ", "\u0085", "\u200b\u2060", "\u001c"]) {
      await expect(pawl.run("tester", { ...user, input: text }).started).rejects.toSatisfy((error) =>
        PawlError.is(error, "invalid_input"),
      );
    }
  });

  it("refuses a timer that would fire at once, when the tool is made", () => {
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 0, Number.NaN, 2 ** 31]) {
      expect(() => broken(0, { timeoutMs })).toThrow(/timeoutMs/);
    }
  });

  it("ends the run when an error is its own cause", async () => {
    const error = new Error("round");
    error.cause = error;
    const { say } = setup([], {}, { deps: () => Promise.reject(error) });
    expect((await say("Go")).stop.type).toBe("error");
  });
});
