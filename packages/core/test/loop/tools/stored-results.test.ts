import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryFiles, type Tool, type ToolContext, tool } from "../../../src/index.ts";
import { base64, filing } from "../../support/file-runs.ts";
import { png } from "../../support/files.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { nothing } from "../../support/tools.ts";

const doing = (execute: (context: ToolContext) => unknown, more: object = {}) =>
  tool({
    name: "work",
    description: "",
    input: nothing,
    execute: (_, context: ToolContext) => execute(context),
    ...more,
  }) as Tool;

const script = [{ tools: [{ name: "work", id: "c1" }] }, { text: "Ok." }];

async function storedBy(made: Tool, options: object = {}) {
  const world = setup(script, { tools: [made], ...options });
  const result = await world.say("Go");
  expect(world.model.rejected).toEqual([]);
  return { ...(await storedIn(world, result.sessionId)), actions: result.actions };
}

async function storedIn(world: Setup, sessionId: string) {
  const [event] = await world.of(sessionId, "tool_result");
  if (event === undefined) throw new Error("There is no result.");
  return { data: event.data, chars: JSON.stringify(event.data.result).length };
}

const whole = "x".repeat(3_000_000);

describe("B7 C5 what is stored of a result", () => {
  it("has at most a million characters, with a note, and the run's result says the same", async () => {
    const { data, chars, actions } = await storedBy(doing(() => whole));
    expect(chars).toBeLessThanOrEqual(1_000_000);
    expect(chars).toBeGreaterThan(999_000);
    expect(String(data.result).replaceAll("x", "")).toMatch(/^\n\[clipped: 2000\d+ of 3000000 chars\]\n$/);
    expect(actions[0]?.result).toBe(data.result);
  });

  it("is cut after the model's part was taken from the whole", async () => {
    const { data } = await storedBy(
      doing(() => whole),
      { resultLimit: 200, storedResultLimit: 1_000 },
    );
    expect(data.content).toMatch(/\[clipped: 2999\d+ of 3000000 chars\]/);
    expect(String(data.content).length).toBeLessThanOrEqual(200);
    const { data: other } = await storedBy(
      doing(() => ({ rows: [whole] }), {
        format: ({ rows }: { rows: string[] }) => `${rows[0]?.length} rows`,
      }),
    );
    expect(other.content).toBe("3000000 rows");
  });

  it("keeps its shape", async () => {
    const rows = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    const { data, chars } = await storedBy(doing(() => ({ rows, total: rows.length })));
    expect(chars).toBeLessThanOrEqual(1_000_000);
    expect(data.result).toMatchObject({ total: 200_000 });
    const { rows: stored } = data.result as { rows: unknown[] };
    expect(stored.slice(0, -1)).toEqual(rows.slice(0, stored.length - 1));
    expect(stored.at(-1)).toMatch(/^\[clipped: \d+ of 200000 items\]$/);
  });

  it("is the whole result up to that length", async () => {
    const almost = "x".repeat(999_000);
    expect((await storedBy(doing(() => almost))).data.result).toBe(almost);
  });

  it("is as long as `storedResultLimit` says", async () => {
    const { chars } = await storedBy(
      doing(() => whole),
      { storedResultLimit: 5_000 },
    );
    expect(chars).toBeLessThanOrEqual(5_000);
    expect(
      (
        await storedBy(
          doing(() => whole),
          { storedResultLimit: 4_000_000 },
        )
      ).data.result,
    ).toBe(whole);
    expect(() => setup([], { storedResultLimit: 0 })).toThrow(/storedResultLimit/);
  });

  it("is cut for a failure, too", async () => {
    const { data, chars } = await storedBy(
      doing(() => {
        throw new Error(whole);
      }),
    );
    expect(data).toMatchObject({ success: false, result: expect.stringContaining("[clipped: ") });
    expect(chars).toBeLessThanOrEqual(1_000_000);
  });

  it("is cut for what an `afterTool` hook returns, and for the result of a page", async () => {
    const hook = { name: "long", afterTool: () => ({ result: whole, content: "long" }) };
    const { data, chars } = await storedBy(
      doing(() => "short"),
      { hooks: [hook] },
    );
    expect(data.content).toBe("long");
    expect(chars).toBeLessThanOrEqual(1_000_000);
    const page = tool({
      name: "work",
      description: "",
      input: nothing,
      output: z.string(),
      runsIn: "client",
    });
    const world = setup(script, { tools: [page] });
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "c1", whole);
    expect((await storedIn(world, sessionId)).chars).toBeLessThanOrEqual(1_000_000);
  });

  it("has pictures whole, which become files where the runtime has them", async () => {
    const data = base64(png(60, 60));
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const result = { content: [{ type: "image", data }], about: whole };
    const draw = () => doing(() => result, { format: () => [image, { type: "text", text: "Drawn." }] });
    const { data: stored } = await storedBy(draw(), { storedResultLimit: 10_000 });
    expect(stored.result).toMatchObject({
      content: [{ type: "image", data }],
      about: expect.stringContaining("[clipped: "),
    });
    const { say, log } = filing(script, { tools: [draw()] as never, files: memoryFiles() });
    const { sessionId } = await say("Go");
    const event = (await log(sessionId)).find(({ type }) => type === "tool_result");
    expect(event?.data).toMatchObject({
      result: {
        content: [{ data: expect.stringMatching(/^file:/) }],
        about: expect.stringContaining("[clipped: "),
      },
      files: [{ media_type: "image/png" }],
    });
    expect(JSON.stringify(event).length).toBeLessThan(1_010_000);
  });

  it("repeats no part of a token at a cut", async () => {
    const token = `tok_${"0123456789abcdef".repeat(8)}`;
    const world = setup(script, { tools: [doing(() => token.repeat(5_000))], storedResultLimit: 2_000 });
    const { sessionId } = await world.say("Go", { credentials: { token } });
    const { data } = await storedIn(world, sessionId);
    expect(data.result).toContain("clipped");
    expect(data.result).not.toMatch(/tok_|abcdef/);
  });

  it("has at most 200,000 characters of reported sources", async () => {
    const url = `https://example.com/${"a".repeat(3_000)}`;
    const sources = Array.from({ length: 1_000 }, (_, at) => ({ id: `s${at}`, title: `${at}`, url }));
    const { data } = await storedBy(doing(({ report }) => report({ sources, summary: "1,000 found" })));
    expect(data.report?.summary).toBe("1,000 found");
    expect(data.report?.sources?.[0]).toEqual(sources[0]);
    expect(JSON.stringify(data.report).length).toBeLessThanOrEqual(200_100);
  });

  it("is what people see", async () => {
    const world = setup(script, { tools: [doing(() => whole)] });
    const { sessionId } = await world.say("Go");
    const view = await world.pawl.view(sessionId, user);
    expect(JSON.stringify(view).length).toBeLessThan(1_100_000);
  });
});

describe("B7 C5 what the model reads of many blocks", () => {
  it("is bounded, however short they are", async () => {
    const blocks = Array(100_000).fill({ type: "text", text: "x" });
    const made = doing(() => "done", { format: () => blocks });
    const { data } = await storedBy(made, { resultLimit: 10_000 });
    expect(JSON.stringify(data.content).length).toBeLessThan(60_000);
    expect((data.content as unknown as { text: string }[]).at(-1)?.text).toMatch(
      /\[clipped: (\d+) of \1 chars\]/,
    );
  });
});
