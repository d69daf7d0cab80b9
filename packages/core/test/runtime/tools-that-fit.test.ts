import { describe, expect, it, vi } from "vitest";
import { jsonSchema, memoryStore, type Tool, tool } from "../../src/index.ts";
import type { ToolSource } from "../../src/tools.ts";
import { calling, done, prefixes, results, sentTools } from "../support/for-caller.ts";
import { setup } from "../support/setup.ts";

/** A tool whose specification has so many characters. */
function sized(name: string, chars: number, source?: ToolSource): Tool {
  const made = (description: string) =>
    tool({ name, description, input: jsonSchema({ type: "object" }), execute: () => `${name} is done` });
  const bare = JSON.stringify(made("").spec).length;
  return { ...made("x".repeat(chars - bare)), ...(source && { source }) };
}

/** A source with so many characters for its tools, and what it is told. */
function sourceOf(name: string, maxChars: number) {
  const omitted = vi.fn<NonNullable<ToolSource["omitted"]>>();
  return { name, maxChars, omitted };
}

const names = (...tools: readonly Tool[]) => tools.map(({ name }) => name).join(" ");

describe("B7 F19 tools of a source", () => {
  it("that are longer together than the source may be are left out, the last ones first", async () => {
    const source = sourceOf("mcp::s", 1_000);
    const tools = ["a", "b", "c", "d"].map((name) => sized(name, 400, source));
    const world = setup([done], { tools: () => tools });
    await world.say("Go");
    expect(sentTools(world)).toEqual(["a b"]);
  });

  it("are left out one by one: a long tool takes no place from a short one behind it", async () => {
    const source = sourceOf("mcp::s", 1_000);
    const tools = [sized("a", 400, source), sized("b", 900, source), sized("c", 400, source)];
    const world = setup([done], { tools: () => tools });
    await world.say("Go");
    expect(sentTools(world)).toEqual(["a c"]);
  });

  it("share the agent's `toolsLimit` with its own tools, which always stay", async () => {
    const [one, other] = [sourceOf("one", 1_000), sourceOf("other", 1_000)];
    const tools = [sized("a", 500, one), sized("b", 500, other), sized("own", 900), sized("c", 300, other)];
    const world = setup([done], { toolsLimit: 1_800, tools: () => tools });
    await world.say("Go");
    expect(sentTools(world)).toEqual(["a own c"]);
    expect(one.omitted).not.toHaveBeenCalled();
    expect(other.omitted.mock.calls).toEqual([
      [["b"], expect.stringMatching(/1800 characters.*`toolsLimit` of agent\("tester"\)/)],
    ]);
  });

  it("are bounded by 400,000 characters if the agent says nothing", async () => {
    const source = sourceOf("mcp::s", 1_000_000);
    const tools = Array.from({ length: 5 }, (_, at) => sized(`t${at}`, 100_000, source));
    const world = setup([done], { tools: () => tools });
    await world.say("Go");
    expect(sentTools(world)).toEqual(["t0 t1 t2 t3"]);
  });

  it("that are left out are in the run's log, and their source is told once", async () => {
    const source = sourceOf("mcp::s", 500);
    const tools = ["a", "b", "c"].map((name) => sized(name, 400, source));
    const world = setup([done, done], { tools: () => tools });
    const { sessionId } = await world.say("Go");
    await world.say("Go", { sessionId });
    const errors = (await world.of(sessionId, "error")).map(({ data }) => data);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({
      code: "tools_left_out",
      message: expect.stringMatching(
        /^The prompt lacks 2 tools of "mcp::s", because .*500 characters.*: b, c\.$/,
      ),
      context: { source: "mcp::s", count: 2, tools: ["b", "c"] },
    });
    expect(source.omitted.mock.calls).toEqual([[["b", "c"], expect.stringContaining("500 characters")]]);
  });

  it("have few names in the log, however many there are", async () => {
    const source = sourceOf("mcp::s", 500);
    const tools = Array.from({ length: 500 }, (_, at) => sized(`t${at}`, 400, source));
    const world = setup([done], { tools: () => tools });
    const { sessionId } = await world.say("Go");
    const [error] = await world.of(sessionId, "error");
    expect(error?.data).toMatchObject({ context: { count: 499 } });
    expect(JSON.stringify(error?.data).length).toBeLessThan(2_000);
    expect(source.omitted.mock.calls[0]?.[0]).toHaveLength(499);
  });

  it("stay in a session that has them, and its prefix stays too, when more tools come before them", async () => {
    const source = sourceOf("mcp::s", 1_000);
    const listed = [sized("k", 400, source), sized("m", 400, source)];
    const world = setup([calling("m"), done, calling("m"), done, done], { tools: () => listed });
    const { sessionId } = await world.say("Go");
    listed.unshift(sized("a", 400, source), sized("b", 400, source));
    await world.say("Go", { sessionId });
    expect(await prefixes(world, sessionId)).toEqual(["k m"]);
    expect(await results(world, sessionId)).toEqual(["m is done", "m is done"]);
    // A new session takes them in the order of the list.
    await world.say("Go");
    expect(sentTools(world).at(-1)).toBe("a b");
  });

  it("that a run was given are still there when another process continues it", async () => {
    const source = sourceOf("mcp::s", 1_000);
    const listed = [sized("k", 400, source)];
    const ask: Tool = {
      ...tool({
        name: "ask",
        description: "Asks.",
        input: jsonSchema({ type: "object" }),
        suspends: { answer: jsonSchema<string>({ type: "string" }) },
      }),
      source,
    };
    const store = memoryStore();
    const boot = (script: Parameters<typeof setup>[0]) =>
      setup(script, { tools: () => [...listed, ask] }, { store });
    const first = boot([{ tools: [{ name: "ask", id: "c1", input: {} }] }]);
    const { sessionId } = await first.say("Go");
    listed.unshift(sized("a", 500, source), sized("b", 500, source));
    const second = boot([calling("k"), done]);
    await second.answer(sessionId, "c1", "Yes.");
    expect(await second.of(sessionId, "agent_changed")).toEqual([]);
    expect(await results(second, sessionId)).toEqual(["Yes.", "k is done"]);
  });

  it("that fit leave nothing in the log", async () => {
    const source = sourceOf("mcp::s", 1_000);
    const world = setup([done], { tools: () => [sized("a", 1_000, source)] });
    const { sessionId } = await world.say("Go");
    expect(sentTools(world)).toEqual([names(sized("a", 400))]);
    expect(await world.of(sessionId, "error")).toEqual([]);
  });

  it("are left out all the same if their source throws when it is told, and `onError` gets the error", async () => {
    const source = sourceOf("mcp::s", 500);
    source.omitted.mockImplementation(() => {
      throw new Error("no console");
    });
    const onError = vi.fn();
    const tools = ["a", "b"].map((name) => sized(name, 400, source));
    const world = setup([done], { tools: () => tools }, { onError });
    await world.say("Go");
    expect(sentTools(world)).toEqual(["a"]);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ message: "no console" })]]);
  });
});
