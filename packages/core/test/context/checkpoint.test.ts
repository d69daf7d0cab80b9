import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../test/support/rebuild.ts";
import { type CheckpointStrategy, dropOldResults, summarize, tool, withRetry } from "../../src/index.ts";
import { never, type Setup, setup, user } from "../support/setup.ts";
import { ask, readLong } from "../support/tools.ts";

const reading = (n: number): Reply => ({
  thinking: `Reading ${n}.`,
  tools: [{ name: "read", id: `toolu_${n}`, input: { n } }],
});
const script = [reading(1), reading(2), reading(3), { thinking: "So.", text: "Done." }, { text: "Bye." }];
const messagesOf = (world: Setup, n: number) => JSON.stringify(world.model.requests[n]?.messages);

async function sound(world: Setup, sessionId: string): Promise<void> {
  expect(world.model.rejected).toEqual([]);
  await assertRebuilds([await world.log(sessionId)], world.model.requests);
}

describe("C11 dropping old results", () => {
  it("C13 replaces them by a note of their length, in a new prefix without earlier thinking, and leaves the last turns", async () => {
    const checkpointWhen = [dropOldResults({ whenTokens: 500, keepTurns: 1 })];
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const { sessionId, text } = await world.say("Read all");
    expect(text).toBe("Done.");
    expect(await world.of(sessionId, "checkpoint")).toMatchObject([
      { data: { reason: "drop_old_results" } },
      { data: { reason: "drop_old_results" } },
    ]);
    const last = messagesOf(world, 3);
    expect(last.match(/\[dropped: 800 chars\]/g)).toHaveLength(2);
    expect(last).toContain("3 3 3");
    expect(messagesOf(world, 1)).toContain('"type":"thinking"');
    expect(last).not.toContain('"type":"thinking"');
    const prefixes = (await world.of(sessionId, "prefix")).map(({ data }) => data);
    expect(new Set(prefixes.map(({ prefix_id }) => prefix_id)).size).toBe(3);
    expect(prefixes[2]).toEqual({ ...prefixes[0], prefix_id: expect.any(String) });
    expect((await world.pawl.view(sessionId, user)).messages[1]?.parts).toHaveLength(4);
    await world.say("Thanks", { sessionId });
    await sound(world, sessionId);
  });

  it("weighs what it frees as the agent estimates tokens", async () => {
    const checkpointWhen = [dropOldResults({ whenTokens: 1_500, keepTurns: 1 })];
    // Text of which every character is a token: four times what is usual, in all of the context alike.
    const world = setup(script, { tools: [readLong], checkpointWhen, estimateTokens: (chars) => chars });
    const { sessionId } = await world.say("Read all");
    expect(await world.of(sessionId, "checkpoint")).not.toEqual([]);
    expect(world.model.rejected).toEqual([]);
  });

  it("waits until a fifth of the context can be freed: every checkpoint costs the cache", async () => {
    const checkpointWhen = [dropOldResults({ whenTokens: 10, keepTurns: 1 })];
    const small = tool({
      name: "read",
      description: "Reads.",
      input: z.object({ n: z.number() }),
      execute: () => "ok",
    });
    const world = setup(script, { tools: [small], checkpointWhen });
    const { sessionId } = await world.say("Read all");
    expect(await world.of(sessionId, "checkpoint")).toEqual([]);
  });
});

describe("C11 summaries", () => {
  const writer = (replies: Reply[]) =>
    scriptedModel(replies, {
      pricing: { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 },
    });

  it("stand for everything before a boundary and are in the log, with their cost", async () => {
    const model = writer([{ text: "They read </conversation_summary> 1 and 2." }]);
    const checkpointWhen = [summarize({ model, whenTokens: 700, keepTurns: 1 })];
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const result = await world.say("Read all");
    const { sessionId } = result;
    const [checkpoint] = await world.of(sessionId, "checkpoint");
    expect(checkpoint?.data).toMatchObject({
      reason: "summary",
      summary: expect.stringContaining("They read"),
    });
    const asked = JSON.stringify(model.requests[0]?.messages);
    for (const part of ["user: Read all", 'assistant: [calls read with {\\"n\\":1}]', "[result: 1 1 1"]) {
      expect(asked).toContain(part);
    }
    const index = world.model.requests.findIndex((_, n) => messagesOf(world, n).includes("They read"));
    const [first, second] = world.model.requests[index]?.messages ?? [];
    const text =
      "<conversation_summary>\nThey read <\\/conversation_summary> 1 and 2.\n</conversation_summary>";
    expect(first).toMatchObject({ role: "user", content: [{ text }] });
    expect(second).toMatchObject({ role: "assistant", content: [{ type: "tool_use" }] });
    const charged = (await world.of(sessionId, "llm_response")).filter(({ data }) => data.attempt === 0);
    expect(charged).toHaveLength(1);
    expect(result.usage.inputTokens).toBeGreaterThan(charged[0]?.data.tokens.prompt ?? 0);
    const session = await world.store.sessions.get(sessionId);
    expect(session?.contextStartSeq).toBe((checkpoint?.data.from_seq ?? 0) - 1);
    await world.say("Thanks", { sessionId });
    await sound(world, sessionId);
  });

  it.each<[string, Reply]>([
    ["fails", { fault: { status: 529 } }],
    ["is empty", { text: " " }],
    ["is refused", { text: "No.", stop: "refusal" }],
  ])(
    "that %s leaves the context as it is, is reported, and is not tried again in this run",
    async (_what, reply) => {
      const model = writer([reply, { text: "Second run." }]);
      const checkpointWhen = [summarize({ model, whenTokens: 100, keepTurns: 1 })];
      const world = setup(script, { tools: [readLong], checkpointWhen });
      const { sessionId, stop } = await world.say("Read all");
      expect(stop.type).toBe("end_turn");
      expect(await world.of(sessionId, "checkpoint")).toEqual([]);
      expect(await world.of(sessionId, "prefix")).toHaveLength(1);
      expect(await world.of(sessionId, "error")).toMatchObject([{ data: { code: "checkpoint_failed" } }]);
      await world.say("Thanks", { sessionId });
      expect(await world.of(sessionId, "checkpoint")).toHaveLength(1);
      await sound(world, sessionId);
    },
  );

  it.each<[string, Reply]>([
    ["is refused", { text: "No.", stop: "refusal" }],
    ["is empty", { text: " " }],
    ["breaks off", { text: "They read 1 and", fault: { cut: 5 } }],
  ])("L12 that %s is charged all the same", async (_what, reply) => {
    const model = writer([reply]);
    const checkpointWhen = [summarize({ model, whenTokens: 100, keepTurns: 1 })];
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const { sessionId, usage } = await world.say("Read all");
    const responses = await world.of(sessionId, "llm_response");
    const [charged] = responses.filter(({ data }) => data.attempt === 0);
    expect(charged?.data.tokens.prompt).toBeGreaterThan(0);
    const prompts = responses.map(({ data }) => data.tokens.prompt);
    expect(usage.inputTokens).toBe(prompts.reduce((all, one) => all + one, 0));
    await sound(world, sessionId);
  });

  it("L12 is charged as far as it has come when its run is stopped", async () => {
    const model = writer([{ text: "They read 1 and", fault: { stall: 5 } }]);
    const checkpointWhen = [summarize({ model, whenTokens: 100, keepTurns: 1 })];
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const run = world.pawl.run("tester", { userId: "u1", input: "Read all" });
    await expect.poll(() => model.requests.length).toBe(1);
    await world.pawl.stop((await run.started).sessionId, user);
    const { sessionId, stop } = await run.result;
    expect(stop.type).toBe("aborted");
    const summaries = (await world.of(sessionId, "llm_response")).filter(({ data }) => data.attempt === 0);
    expect(summaries).toHaveLength(1);
    await sound(world, sessionId);
  });

  it("keep user data: it is in the system prompt again as it was last sent", async () => {
    let weight = 70;
    const checkpointWhen = [summarize({ model: writer([{ text: "Sum." }]), whenTokens: 700, keepTurns: 1 })];
    const userData = () => `${weight} kg`;
    const world = setup([{ text: "Hi." }, ...script], {
      tools: [readLong],
      checkpointWhen,
      userData: { read: userData },
    });
    const { sessionId } = await world.say("Hello");
    weight = 71;
    await world.say("Read all", { sessionId });
    const [first, second] = await world.of(sessionId, "prefix");
    expect(first?.data.system[1]?.text).toContain("70 kg");
    expect(second?.data.system[1]?.text).toContain("71 kg");
    await world.say("Thanks", { sessionId });
    expect(await world.of(sessionId, "prefix")).toHaveLength(2);
    expect(await world.of(sessionId, "knowledge")).toHaveLength(1);
    await sound(world, sessionId);
  });

  it("O1 are not written if the limits leave no room for them and the turn after them", async () => {
    for (const [outputTokens, made] of [
      [1_800, 0],
      [2_400, 1],
    ] as const) {
      const model = writer([{ text: "They read." }]);
      const checkpointWhen = [summarize({ model, whenTokens: 700, keepTurns: 1, maxTokens: 1_000 })];
      const world = setup(script, { tools: [readLong], checkpointWhen, limits: { outputTokens } });
      const { sessionId } = await world.say("Read all");
      expect(model.requests).toHaveLength(made);
      expect(await world.of(sessionId, "checkpoint")).toHaveLength(made);
      await sound(world, sessionId);
    }
  });

  it("are written by a model that tries again, and all attempts are charged", async () => {
    const broken: Reply = { text: "They read one two", fault: { midStream: "overloaded", afterEvents: 4 } };
    const model = writer([broken, { text: "They read." }]);
    const checkpointWhen = [
      summarize({ model: withRetry(model, { baseMs: 1 }), whenTokens: 700, keepTurns: 1 }),
    ];
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const { sessionId } = await world.say("Read all");
    expect(await world.of(sessionId, "checkpoint")).toMatchObject([{ data: { summary: "They read." } }]);
    const [charged] = (await world.of(sessionId, "llm_response")).filter(({ data }) => data.attempt === 0);
    const once = Number(charged?.data.raw_response.usage.input_tokens);
    expect(charged?.data.tokens.prompt).toBe(2 * once);
    await sound(world, sessionId);
  });

  it("L4 are abandoned at the deadline if a strategy never settles", async () => {
    const world = setup(script, { checkpointWhen: [never], limits: { wallClockMs: 30 } });
    const { stop, sessionId } = await world.say("Read all");
    expect(stop.type).toBe("deadline");
    expect(await world.of(sessionId, "checkpoint")).toEqual([]);
  });

  it("E2 a process that dies before the checkpoint is stored has changed nothing", async () => {
    let dies = true;
    const died = Promise.withResolvers<void>();
    const checkpointWhen: CheckpointStrategy[] = [
      async (source) => {
        if (source.estimatedTokens < 500) return undefined;
        const plan = await summarize({ model: writer([{ text: "Sum." }]), whenTokens: 1, keepTurns: 1 })(
          source,
        );
        if (dies) {
          died.resolve();
          await never();
        }
        return plan;
      },
    ];
    let clock = 0;
    const world = setup(script, { tools: [readLong], checkpointWhen });
    const { memoryStore, runtime } = await import("../../src/index.ts");
    const store = memoryStore({ now: () => clock });
    await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const boot = () => runtime({ agents: [world.agent], store });
    boot().run("tester", { ...user, sessionId: "s1", input: "Read all" });
    await died.promise;
    const before = await Array.fromAsync(store.read("s1"));
    expect(before.at(-1)?.type).toBe("tool_result");
    expect(before.filter(({ type }) => type === "prefix")).toHaveLength(1);
    dies = false;
    clock = 60_000;
    const pawl = boot();
    expect(await pawl.sweep()).toBe(1);
    for await (const _ of pawl.follow("s1", { untilIdle: true }));
    const log = await Array.fromAsync(store.read("s1"));
    expect(log.some(({ type }) => type === "checkpoint")).toBe(true);
    expect(log.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
    await assertRebuilds([log], world.model.requests);
    expect(world.model.rejected).toEqual([]);
  });
});

describe("C11 a context that starts at an event", () => {
  it("sends nothing from before, records that in the session's row, and separates no call from its result", async () => {
    const world = setup([...script, { text: "x" }], { tools: [readLong] });
    const { sessionId } = await world.say("Read all");
    const results = await world.of(sessionId, "tool_result");
    // In the middle of a run there is no place to begin at but the message that began it.
    const options = { ...user, fromSeq: results[1]?.seq ?? 0 };
    const [message] = await world.of(sessionId, "user_message");
    expect(await world.pawl.startContextAt(sessionId, options)).toBe(message?.seq);
    expect(await world.of(sessionId, "checkpoint")).toEqual([]);

    await world.say("Second", { sessionId });
    const [, second] = await world.of(sessionId, "user_message");
    const at = await world.pawl.startContextAt(sessionId, { ...user, fromSeq: (second?.seq ?? 0) + 1 });
    expect(at).toBe(second?.seq);
    expect((await world.store.sessions.get(sessionId))?.contextStartSeq).toBe(at - 1);
    await world.say("Third", { sessionId });
    expect(world.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
    expect(messagesOf(world, world.model.requests.length - 1)).not.toContain("Read all");
    expect((await world.pawl.view(sessionId, user)).messages).toHaveLength(6);
    await sound(world, sessionId);
  });

  it("E11 can be set only by the owner, on an idle session, at an existing event", async () => {
    const world = setup([{ tools: [{ name: "ask" }] }, { text: "Fine." }], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    const start = (userId: string, fromSeq = 1) => world.pawl.startContextAt(sessionId, { userId, fromSeq });
    await expect(start("u2")).rejects.toMatchObject({ code: "not_found" });
    await expect(start("u1")).rejects.toMatchObject({ code: "session_busy" });
    await world.say("Never mind", { sessionId });
    await expect(start("u1", 999)).rejects.toMatchObject({ code: "invalid_input" });
  });
});
