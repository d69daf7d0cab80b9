import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertExtends } from "../../../../test/support/invariants.ts";
import { clipText } from "../../src/base/clip-text.ts";
import { jsonSchema, PawlError, tool } from "../../src/index.ts";
import { setup } from "../support/setup.ts";

const fileInput = z.object({ path: z.string(), content: z.string() });
const save = (more: object = { shortenInput: ["content"] }) =>
  tool({
    name: "save",
    description: "Saves a file.",
    input: fileInput,
    execute: ({ path }) => {
      if (path === "bad") throw new Error("disk full");
      return { saved: path };
    },
    ...more,
  });
const long = (n: number) => `${n} `.repeat(2_000);
const saving = (n: number, path = `file-${n}`) => ({
  name: "save",
  id: `toolu_${n}`,
  input: { path, content: long(n) },
});
const inputs = (request: unknown): Record<string, unknown>[] =>
  [...JSON.stringify(request).matchAll(/"input":(\{[^}]*\})/g)].map((match) => JSON.parse(match[1] ?? ""));

describe("C5 inputs", () => {
  it("are sent as a note from their first re-send on, and whole in the log and in the result", async () => {
    const world = setup([{ tools: [saving(1)] }, { tools: [saving(2)] }, { text: "Ok." }], {
      tools: [save()],
    });
    const { sessionId, actions } = await world.say("Go");
    const note = (n: number) => ({ path: `file-${n}`, content: `[saved: ${long(n).length} chars]` });
    expect(world.model.requests.map(inputs)).toEqual([[], [note(1)], [note(1), note(2)]]);
    const [call] = await world.of(sessionId, "tool_call");
    expect(call?.data.arguments).toEqual({ path: "file-1", content: long(1) });
    expect(actions[0]?.args).toEqual({ path: "file-1", content: long(1) });
    expect(JSON.stringify((await world.pawl.view(sessionId, { userId: "u1" })).messages)).toContain(long(1));
    assertExtends(world.model.requests);
    expect(world.model.rejected).toEqual([]);
  });

  it("of calls that failed stay whole", async () => {
    const world = setup([{ tools: [saving(1, "bad"), saving(2)] }, { text: "Ok." }], { tools: [save()] });
    await world.say("Go");
    const sent = inputs(world.model.requests[1]);
    expect(sent).toMatchObject([{ content: long(1) }, { content: expect.stringMatching(/^\[saved: /) }]);
  });

  it("before a later thinking block of the same message stay whole, for it is signed over them", async () => {
    const block = (n: number) => ({ type: "tool_use", ...saving(n) });
    const think = { type: "thinking", thinking: "Hm.", signature: "" };
    const world = setup(
      [{ content: [think, block(1), think, block(2)] }, { thinking: "So.", text: "Ok." }, { text: "x" }],
      {
        tools: [save()],
      },
    );
    const { sessionId } = await world.say("Go");
    await world.say("More", { sessionId });
    for (const request of world.model.requests.slice(1)) {
      expect(inputs(request)).toMatchObject([
        { content: long(1) },
        { content: `[saved: ${long(2).length} chars]` },
      ]);
    }
    // The simulator signs thinking over all that precedes it, and checks it.
    expect(world.model.rejected).toEqual([]);
    assertExtends(world.model.requests);
  });

  it("stay as they were sent, whatever is deployed later", async () => {
    const first = setup(
      [
        { thinking: "Hm.", tools: [saving(1)] },
        { thinking: "So.", text: "Ok." },
      ],
      { tools: [save()] },
    );
    const { sessionId } = await first.say("Go");
    const other = setup([{ text: "Ok." }], { tools: [save({})] }, { store: first.store });
    await other.say("More", { sessionId });
    expect(inputs(other.model.requests[0])).toMatchObject([{ content: `[saved: ${long(1).length} chars]` }]);
    assertExtends([...first.model.requests, ...other.model.requests]);
    expect(other.model.rejected).toEqual([]);
  });

  it("saves at least half of what is sent again by three big saves in five rounds, and keeps the prefix", async () => {
    const script: Reply[] = [
      { thinking: "First.", tools: [saving(1)] },
      { thinking: "Second.", text: "Next.", tools: [saving(2)] },
      { tools: [{ name: "save", input: { path: "bad", content: "x" } }] },
      { thinking: "Third.", tools: [saving(3)] },
      { text: "Done." },
    ];
    const sizes: number[] = [];
    for (const tools of [[save({})], [save()]]) {
      const world = setup(script, { tools });
      await world.say("Go");
      expect(world.model.rejected).toEqual([]);
      expect(world.model.requests).toHaveLength(5);
      assertExtends(world.model.requests);
      const sent = world.model.requests.map(({ messages }) => JSON.stringify(messages).length);
      sizes.push(sent.reduce((sum, size) => sum + size, 0));
    }
    const [whole = 0, short = 0] = sizes;
    expect(short).toBeLessThan(whole * 0.5);
  });

  it("are not shortened where the note is longer, or the value is not text", async () => {
    const call = (content: unknown) => ({ name: "any", input: { content } as never });
    const any = tool({
      name: "any",
      description: "Takes anything.",
      input: jsonSchema({ type: "object" }),
      shortenInput: { content: "sent" } as never,
      execute: () => "ok",
    });
    const list = Array.from({ length: 50 }, (_, n) => n);
    const tools = [call("short"), call(list), call(null), call("x".repeat(40))];
    const world = setup([{ tools }, { text: "Ok." }], { tools: [any] });
    await world.say("Go");
    const sent = inputs(world.model.requests[1]).map(({ content }) => content);
    expect(sent).toEqual(["short", list, null, "[sent: 40 chars]"]);
  });

  it("that are only such a note are refused: the model has copied it from an earlier call", async () => {
    const copied = { name: "save", input: { path: "b", content: "[saved: 4000 chars]" } };
    const world = setup([{ tools: [saving(1)] }, { tools: [copied] }, { text: "Ok." }], { tools: [save()] });
    const { actions } = await world.say("Go");
    expect(actions[1]).toMatchObject({
      success: false,
      result: expect.stringContaining("Send the whole text"),
    });
  });

  it("must exist", () => {
    expect(() => save({ shortenInput: ["contents"] })).toThrow(
      new PawlError("config", 'The tool "save" has no input "contents" to shorten.'),
    );
  });
});

describe("C5 results", () => {
  const read = (value: unknown, more: object = {}) =>
    tool({ name: "read", description: "Reads.", input: z.object({}), execute: () => value, ...more });
  const contentOf = async (made: ReturnType<typeof read>, options: object = {}) => {
    const world = setup([{ tools: [{ name: "read" }] }, { text: "Ok." }], { tools: [made], ...options });
    const { sessionId } = await world.say("Go");
    const [event] = await world.of(sessionId, "tool_result");
    expect(world.model.rejected).toEqual([]);
    const blocks = world.model.requests[1]?.messages.at(-1)?.content as unknown as { content: unknown }[];
    return { sent: blocks[0]?.content, stored: event?.data };
  };

  it("are clipped before they are first sent; the log keeps the whole", async () => {
    const whole = "abcdefghij".repeat(100);
    const { sent, stored } = await contentOf(read(whole), { resultLimit: 200 });
    expect(sent).toMatch(/^abc.*\n\[clipped: 8\d\d of 1000 chars\]\n.*hij$/s);
    expect(String(sent).length).toBeLessThanOrEqual(200);
    expect(stored).toMatchObject({ result: whole, content: sent });
  });

  it("have a limit per tool, which also covers formatted, structured and failing ones", async () => {
    const whole = "x".repeat(500);
    const size = async (made: ReturnType<typeof read>) => String((await contentOf(made)).sent).length;
    expect(await size(read(whole))).toBe(500);
    expect(await size(read(whole, { maxResultChars: 100 }))).toBe(100);
    expect(await size(read({ whole }, { maxResultChars: 100 }))).toBe(100);
    expect(await size(read("", { maxResultChars: 100, format: () => whole }))).toBe(100);
    const fail = () => {
      throw new Error(whole);
    };
    expect(await size(read("", { maxResultChars: 100, execute: fail }))).toBe(100);
  });

  it("in blocks share the limit among their texts", async () => {
    const text = (text: string) => ({ type: "text", text });
    const format = () => [text("a".repeat(60)), text("b".repeat(60)), text("c".repeat(60))];
    const { sent } = await contentOf(read("", { maxResultChars: 100, format }));
    expect(sent).toEqual([
      text("a".repeat(60)),
      text(expect.stringMatching(/^b+\n\[clipped: \d+ of 60 chars\]\nb+$/) as never),
      text("\n[clipped: 60 of 60 chars]\n"),
    ]);
  });

  it("are never cut through a character", () => {
    for (let limit = 40; limit < 60; limit += 1) {
      const clipped = clipText("😀".repeat(50), limit);
      expect(clipped.isWellFormed() && !clipped.includes("\ufffd")).toBe(true);
      expect(clipped.length).toBeLessThanOrEqual(limit);
      const kept = clipped.replace(/\n\[.*\]\n/, "").length;
      expect(clipped).toContain(`[clipped: ${100 - kept} of 100 chars]`);
      expect(clipText(clipped, limit)).toBe(clipped);
    }
  });

  it("need a valid limit", () => {
    expect(() => read("", { maxResultChars: 0 })).toThrow(/maxResultChars/);
    expect(() => setup([], { resultLimit: 0.5 })).toThrow(/resultLimit/);
  });
});
