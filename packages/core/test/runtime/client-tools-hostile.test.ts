import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { approval, type Json, tool } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { doing, results } from "../support/for-caller.ts";
import { type Options, type Setup, setup, stored, user } from "../support/setup.ts";

const place = { name: "locate", description: "Reads.", input: z.object({}), runsIn: "client" } as const;
const locate = tool(place);
const calling = (...names: string[]) => ({
  tools: names.map((name, at) => ({ name, id: `toolu_${at}`, input: {} })),
});

async function waiting(options: Options = {}, names = ["locate"]) {
  const world = setup([calling(...names), { text: "Done." }], { tools: [locate], ...options });
  const { sessionId, pending } = await world.say("Read.");
  const send = (more: object, who = user) =>
    world.pawl.run("tester", { ...who, sessionId, answers: [{ callId: "toolu_0", ...more }] as never })
      .result;
  return { ...world, sessionId, pending, send };
}

describe("F12 a hostile page sends as a tool's result", () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  let deep: Json = 1;
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  it.each([
    ["a cycle", cycle],
    ["20,000 levels", deep],
  ])("%s: refused, and the call stays open", async (_, value) => {
    const { send, pawl, sessionId } = await waiting();
    await expect(send({ value })).rejects.toSatisfy(code("invalid_answer", "cannot be stored"));
    expect((await pawl.view(sessionId, user)).pending).toHaveLength(1);
    expect((await send({ value: 1 })).text).toBe("Done.");
  });

  it.each<[string, Json, unknown]>([
    ["own fields named like those of every object", JSON.parse('{"__proto__":{"a":1},"constructor":2}'), ""],
    ["NUL", "a\u0000b", "a\u0000b"],
    ["half a surrogate pair", { a: "\ud800" }, { a: "\ufffd" }],
    ["an empty text", "", ""],
  ])("%s: stored as data", async (_, value, expected) => {
    const world = await waiting();
    expect((await world.send({ value })).text).toBe("Done.");
    const [result] = await results(world, world.sessionId);
    expect(JSON.stringify(result)).toBe(JSON.stringify(expected === "" ? value : expected));
    expect(({} as { a?: number }).a).toBeUndefined();
    expect(world.model.rejected).toEqual([]);
  });

  it.each(["", " \n", "\u200b"])("the error %j: the model gets words", async (error) => {
    const world = await waiting();
    await world.send({ error });
    expect(await results(world, world.sessionId)).toEqual(["It failed without an error message."]);
  });

  it("a result for a call of another session: there is no such question", async () => {
    const { store, pawl } = await waiting();
    const other = setup([{ text: "Hi." }], { tools: [locate] }, { store });
    const { sessionId } = await other.say("Hi.");
    const answers = [{ callId: "toolu_0", value: 1 }];
    await expect(pawl.run("tester", { ...user, sessionId, answers }).result).rejects.toSatisfy(
      code("unknown_call"),
    );
  });

  it("ten results at once: one counts", async () => {
    const world = await waiting();
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, at) => world.send({ value: at })));
    await stored(world, world.sessionId, "run_ended");
    expect(await world.of(world.sessionId, "tool_answered")).toHaveLength(1);
    expect(await results(world, world.sessionId)).toHaveLength(1);
    for (const one of all)
      if (one.status === "rejected")
        expect(one.reason).toSatisfy(
          (error) => code("already_answered")(error) || code("session_busy")(error),
        );
    expect(all.some(({ status }) => status === "fulfilled")).toBe(true);
    assertSoundLog(await world.log(world.sessionId));
  });
});

/** Stores a page's result in the store itself, as a function in the database does: nothing is checked. */
async function storeResult({ store, of }: Setup, sessionId: string, value: Json): Promise<void> {
  const [question] = await of(sessionId, "tool_suspended");
  const { call_id = "", tool_name = "" } = question?.data ?? {};
  const key = question?.key?.replace("asked:", "answer:") ?? "";
  const event = { type: "tool_answered" as const, key, data: { call_id, tool_name, value } };
  await store.append(sessionId, [event], { appendId: "page", session: { status: "active", addPending: -1 } });
}

describe("P5 F12 a result that the database took without a check", () => {
  const output = z.object({ city: z.string() });
  it.each<[string, Json, object]>([
    [
      "fails its call if it does not match the tool's output",
      { city: 7 },
      { success: false, result: expect.stringMatching(/does not match its schema/) },
    ],
    [
      "fails its call if it has more than 50,000 values",
      { city: "Bonn", x: Array(50_001).fill(1) },
      { success: false, result: expect.stringMatching(/more than 50000 values/) },
    ],
    ["counts as its schema reads it", { city: "Bonn", x: 1 }, { success: true, result: { city: "Bonn" } }],
  ])("P5 F12 %s", async (_, value, expected) => {
    const world = await waiting({ tools: [tool({ ...place, output })] });
    await storeResult(world, world.sessionId, value);
    expect(await world.pawl.sweep()).toBe(1);
    await stored(world, world.sessionId, "run_ended");
    const stand = (await world.of(world.sessionId, "tool_result")).map(({ data: { success, result } }) => ({
      success,
      result,
    }));
    expect(stand).toEqual([expected]);
    expect(world.model.rejected).toEqual([]);
    assertSoundLog(await world.log(world.sessionId));
  });
});

describe("F12 while a page's tool is pending", () => {
  it("the user stops the run: the call is closed, and a late result is refused", async () => {
    const world = await waiting();
    await world.pawl.stop(world.sessionId, user);
    const { run, pending } = await world.pawl.view(world.sessionId, user);
    expect([run?.stop?.type, pending]).toEqual(["aborted", []]);
    await expect(world.send({ value: 1 })).rejects.toSatisfy(code("already_answered"));
    expect(await results(world, world.sessionId)).toEqual([
      expect.stringContaining("The outcome of this call is unknown: the run was stopped."),
    ]);
    assertSoundLog(await world.log(world.sessionId));
  });

  it("an approval of the same turn waits too, and both are answered at once", async () => {
    const options = {
      tools: [locate, doing("look"), doing("pay")],
      hooks: [approval({ when: ["pay"] })],
    };
    const world = await waiting(options, ["locate", "look", "pay"]);
    expect(world.pending.map(({ callId, clientTool }) => [callId, clientTool])).toEqual([
      ["toolu_0", "locate"],
      ["toolu_2", undefined],
    ]);
    await Promise.all([
      world.send({ value: "here" }),
      world.send({ callId: "toolu_2", value: { approved: true } }),
    ]);
    await stored(world, world.sessionId, "run_ended");
    expect((await results(world, world.sessionId)).toSorted()).toEqual([
      "here",
      "look is done",
      "pay is done",
    ]);
    assertSoundLog(await world.log(world.sessionId));
    expect(world.model.rejected).toEqual([]);
  });

  it("limits do not lose its result", async () => {
    const world = await waiting({ limits: { turns: 1 } });
    expect((await world.send({ value: "here" })).stop.type).toBe("turn_limit");
    expect(await results(world, world.sessionId)).toEqual(["here"]);
  });
});
