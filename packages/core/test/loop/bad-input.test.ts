import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { agent, type Hook, type Json, memoryStore, runtime, tool } from "../../src/index.ts";
import type { ModelEvent } from "../../src/model.ts";
import { code } from "../support/errors.ts";
import { allowFailedHooks } from "../support/hooks.ts";
import { setup, user } from "../support/setup.ts";
import { text } from "../support/tools.ts";

beforeEach(allowFailedHooks);

/** A PNG of one pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const broken = (value: unknown, more: object = {}) =>
  tool({ name: "odd", description: "", input: text, execute: () => value, ...more });
const odd = { name: "odd", id: "toolu_1", input: { text: "" } };

/** Runs the tool, lets the model answer, and says something more: the session must stay usable. */
async function survives(world: ReturnType<typeof setup>): Promise<string> {
  const { sessionId } = await world.say("Go");
  expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
  expect(world.model.rejected).toEqual([]);
  return JSON.stringify(world.model.requests[1]?.messages[2]);
}
const after = [{ text: "Ok." }, { text: "Fine." }];
const throws = () => {
  throw Object.create(null);
};
const picture = (media_type: string, data: string) => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
/** Even to ask what it is throws. */
function gone(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

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
    ["an image whose bytes are no picture", () => [picture("image/png", "AAAA")]],
    ["an image of no known kind", () => [picture("image/tiff", "AAAA")]],
    ["an image that is too large", () => [picture("image/png", "A".repeat(10 * 1024 * 1024 + 1))]],
    ["an image of somebody else's", () => [{ type: "image", data: "AAAA", mimeType: "image/png" }]],
    ["a text that is not a string", () => [{ type: "text", text: 5 }]],
    [
      "a search result without content",
      () => [{ type: "search_result", source: "x", title: "x", content: [] }],
    ],
    [
      "a document of no known kind",
      () => [{ type: "document", source: { type: "base64", media_type: "x" } }],
    ],
    [
      "an error",
      () => {
        throw new Error("bad format");
      },
    ],
  ])("L7 a formatter that returns %s", async (_title, format) => {
    expectPrinted('pawl: `format` of the tool "odd" of the agent "tester" failed');
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken("the result", { format })] });
    expect(await survives(world)).toContain("the result");
  });

  it("L7 C3 a formatter's blocks with fields that no result has", async () => {
    const blocks = [
      ...["a", "b", "c", "d", "e"].map((text) => ({
        type: "text",
        text,
        cache_control: { type: "ephemeral" },
      })),
      { type: "text", text: "of a server", annotations: { audience: ["user"] }, _meta: {}, citations: [{}] },
      { ...picture("image/png", DOT), mimeType: "image/png" },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "d" },
        title: null,
        name: "n",
      },
      {
        type: "search_result",
        source: "s",
        title: "t",
        content: [{ type: "text", text: "found", rank: 1 }],
        score: 1,
      },
    ];
    for (const options of [
      { tools: [broken("x", { format: () => blocks })] },
      { tools: [broken("x")], hooks: [{ name: "h", afterTool: () => ({ content: blocks as never }) }] },
    ]) {
      const world = setup([{ tools: [odd] }, ...after], options);
      const sent = await survives(world);
      expect(sent).toContain("of a server");
      expect(sent).toContain("found");
      for (const left of ["annotations", "_meta", "citations", "mimeType", "name", "rank", "score"])
        expect(sent).not.toContain(`"${left}"`);
    }
  });

  it.each([
    ["says nothing", new Error(""), "without an error message"],
    ["has half a surrogate pair", new Error("x😀".slice(0, 2)), "x\ufffd"],
    ["shows an escape", new Error("literally \\ud83d"), "ud83d"],
  ])("L7 an error that %s", async (_title, error, said) => {
    const tools = [broken(0, { execute: () => Promise.reject(error) })];
    const world = setup([{ tools: [odd] }, ...after], { tools, instructions: "Be kind \ud83d" });
    expect(await survives(world)).toContain(said);
  });

  it.each<[string, unknown, string]>([
    ["an error", new TypeError("as a value"), "as a value"],
    ["an error whose message is no text", Object.assign(new Error(), { message: 10n }), "10"],
    ["nothing", undefined, "null"],
    ["half a surrogate pair", "y\udc00", "y\ufffd"],
  ])("L7 a tool that returns %s has done its work all the same", async (_title, value, shown) => {
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken(value)] });
    expect(await survives(world)).toContain(shown);
    expect(JSON.stringify(world.model.requests[1])).not.toContain("is_error");
  });

  it.each<[string, () => unknown, string]>([
    ["nothing", () => Object.create(null), "without an error message"],
    ["an error whose message is no text", () => Object.assign(new Error(), { message: 10n }), "10"],
    ["an error that is gone", gone, "without an error message"],
    ["an object that carries a message", () => ({ code: 23505, message: "duplicate key" }), "duplicate key"],
  ])("L7 L9 a tool that throws %s", async (_title, thrown, said) => {
    const tools = [broken(0, { execute: () => Promise.reject(thrown()) })];
    const world = setup([{ tools: [odd] }, ...after], { tools });
    expect(await survives(world)).toContain(said);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  class Account {
    readonly #balance = 7;
    balance = () => this.#balance;
  }
  it.each<[string, unknown, string]>([
    ["a bigint", { rows: [{ id: 10n }] }, "result.rows[0].id is a bigint"],
    ["a bigint alone", 10n, "result is a bigint"],
    ["no number", { average: Number.NaN }, "result.average is NaN"],
    ["an infinity", [1, Number.NEGATIVE_INFINITY], "result[1] is -Infinity"],
    ["a map", { byName: new Map([["a", 1]]) }, "result.byName is an instance of Map"],
    ["a set", new Set(["a"]), "result is an instance of Set"],
    ["an invalid date", { at: new Date("soon") }, "result.at is an invalid Date"],
    ["a function", { next: () => 1 }, "result.next is a function"],
    ["a symbol", { kind: Symbol("x") }, "result.kind is a symbol"],
    ["a promise", { rows: Promise.resolve([1]) }, "result.rows is an instance of Promise"],
    ["an error in a field", { failed: new TypeError("SECRET") }, "result.failed is an instance of TypeError"],
    ["private fields", { account: new Account() }, ""],
    ["itself", cycle, "is nested too deep, or contains itself"],
    ["lists without end, nearly", nested(3_000), "is nested too deep, or contains itself"],
    ["what toJSON hides", { toJSON: () => ({ at: 1n }) }, "result.at is a bigint"],
  ])(
    "B5 L7 a tool that returns %s is told what would be lost, and the application once",
    async (_, value, loss) => {
      const errors: Error[] = [];
      const world = setup(
        [{ tools: [odd] }, { tools: [{ ...odd, id: "toolu_2", input: { text: "b" } }] }, ...after],
        { tools: [broken(value)] },
        { onError: (error) => errors.push(error as Error) },
      );
      const result = await survives(world);
      // An instance's functions are its methods, and all else is private: it has nothing to lose.
      if (loss === "") return expect(result).not.toContain("is_error");
      expect(result).toContain("The tool did its work, but its result cannot be represented as JSON");
      expect(result).toContain(loss);
      expect(result).toContain("is_error");
      expect(result).not.toContain("SECRET");
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).toContain(loss);
    },
  );

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "null"],
    ["a list with nothing", [undefined, 1], "[null,1]"],
    ["a date", { at: new Date(0), gone: undefined }, "1970-01-01"],
    [
      "an instance of a class",
      {
        row: new (class Row {
          id = 7;
          name() {}
        })(),
      },
      '{\\"row\\":{\\"id\\":7}}',
    ],
  ])("B5 L7 a tool that returns %s loses nothing", async (_, value, shown) => {
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken(value)] });
    const result = await survives(world);
    expect(result).toContain(shown);
    expect(result).not.toContain("is_error");
  });

  it("T3 a call whose input is nested without end, nearly", async () => {
    const text = { text: "x", more: nested(3_000) };
    const world = setup([{ tools: [{ ...odd, input: text }] }, ...after], { tools: [broken("x")] });
    expect(await survives(world)).toContain("not a JSON object");
  });

  it("P5 an answer that is nested without end, nearly", async () => {
    const ask = tool({ name: "odd", description: "", input: text, suspends: { answer: z.unknown() } });
    const world = setup([{ tools: [odd] }, ...after], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    await expect(world.answer(sessionId, "toolu_1", nested(3_000))).rejects.toMatchObject({
      code: "invalid_answer",
    });
    await world.answer(sessionId, "toolu_1", "fine");
    expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
  });

  it.each<[string, Hook]>([
    ["beforeTurn", { name: "h", beforeTurn: throws }],
    ["beforeTool", { name: "h", beforeTool: throws }],
    ["afterTool", { name: "h", afterTool: throws }],
    ["afterTurn", { name: "h", afterTurn: throws }],
    ["onStop", { name: "h", onStop: throws }],
    ["afterRun", { name: "h", afterRun: throws }],
  ])("H1 a hook that throws nothing in %s", async (method, hook) => {
    if (method === "beforeTurn") expectPrinted("It failed without an error message.");
    const world = setup([{ tools: [odd] }, ...after], { tools: [broken("x")], hooks: [hook] });
    const { sessionId } = await world.say("Go");
    const [error] = await world.of(sessionId, "error");
    expect(error?.data).toMatchObject({ code: "hook_failed", context: { method } });
  });

  it.each<[string, ModelEvent[], string]>([
    [
      "a block out of order",
      [{ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }],
      "The model's answer is malformed: a block out of order.",
    ],
    [
      "a block that is null",
      [{ type: "content_block_start", index: 0, content_block: null as never }],
      "The model's answer is malformed: reading it failed with",
    ],
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
      "The model sent an invalid tool call id.",
    ],
  ])("L12 a model that streams %s", async (_title, events, printed) => {
    expectPrinted(`pawl: ${printed}`);
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

  it("L7 a call whose id is longer than what can be stored of it", async () => {
    expectPrinted("pawl: The model sent an invalid tool call id.");
    for (const length of [512, 513, 5_000]) {
      const call = { ...odd, id: "x".repeat(length) };
      const world = setup([{ tools: [call] }, ...after], { tools: [broken("x")] });
      const { sessionId, actions } = await world.say("Go");
      expect(actions).toHaveLength(length > 512 ? 0 : 1);
      expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
      expect(world.model.rejected).toEqual([]);
    }
  });

  it("C12 thinking that nobody has signed", async () => {
    const world = setup(
      [{ thinking: "Hm.", text: "Look.", tools: [odd] }, { thinking: "So.", text: "Ok." }, ...after],
      {
        tools: [broken("x")],
      },
      {},
      (model) => ({
        ...model,
        async *stream(request, options) {
          for await (const event of model.stream(request, options)) {
            const signs = event.type === "content_block_delta" && event.delta.type === "signature_delta";
            if (!signs) yield event;
          }
        },
      }),
    );
    const { sessionId } = await world.say("Go");
    expect((await world.say("More", { sessionId })).stop.type).toBe("end_turn");
    expect(world.model.rejected).toEqual([]);
    const [answer] = await world.of(sessionId, "assistant_message");
    expect(answer?.data.content[0]).toMatchObject({ type: "thinking", signature: "" });
  });

  it("T3 a call whose input is no object", async () => {
    const content = [{ type: "tool_use", id: "toolu_1", name: "odd", input: "text" as never }];
    const world = setup([{ content, stop: "tool_use" }, ...after], { tools: [broken("x")] });
    expect(await survives(world)).toMatch(/not a JSON object|does not match/);
  });

  it("refuses a message that shows nothing, in any script", async () => {
    const { pawl } = setup([]);
    for (const text of [" ", "\u0085", "\u200b\u2060", "\u001c"]) {
      await expect(pawl.run("tester", { ...user, input: text }).started).rejects.toSatisfy(
        code("invalid_input"),
      );
    }
  });

  it("refuses a timer that would fire at once, when the tool is made", () => {
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 0, Number.NaN, 2 ** 31]) {
      expect(() => broken(0, { timeoutMs })).toThrow(/timeoutMs/);
    }
  });

  it("ends the run when an error is its own cause", async () => {
    expectPrinted("pawl: round");
    const error = new Error("round");
    error.cause = error;
    const { say } = setup([], {}, { deps: () => Promise.reject(error) });
    expect((await say("Go")).stop.type).toBe("error");
  });
});

describe("invalid ids", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "run() needs `userId`, a string."],
    ["an empty text", "", "`userId` of run() is empty."],
    ["a number", 7, "`userId` of run() must be a string; got a number."],
    ["a text that is too long", "x".repeat(1_001), `not "${"x".repeat(40)}".`],
  ])("E11 is named where a run is asked for by %s", async (_title, userId, said) => {
    const { pawl } = setup([]);
    const { result } = pawl.run("tester", { userId: userId as string, input: "Hi" });
    await expect(result).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(said),
    });
  });
});
