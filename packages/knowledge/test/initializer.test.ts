import { memoryFiles, type StoredEvent } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { dataSource, initializer } from "../src/index.ts";
import { choiceOf, choosing, initialized, promptOf, someSources, worldOf } from "./support/world.ts";

const none = choosing();
const history = (reason: string, days_back: number | null = null) => ({
  source: "workout_history",
  reason,
  days_back,
});

describe("what the small model is asked", () => {
  it("I1 runs a small model with structured output, forced where it can be", async () => {
    const world = initialized([none]);
    await world.say("A chest workout, please");
    const [request] = world.small.requests;
    expect(request?.toolChoice).toEqual({
      type: "tool",
      name: "select_knowledge",
      disable_parallel_tool_use: true,
    });
    expect(request?.maxTokens).toBe(2_000);
    expect(request?.tools).toHaveLength(1);
    expect(request?.tools[0]).toMatchObject({ name: "select_knowledge", strict: true });
    expect(request?.tools[0]?.input_schema).toMatchObject({
      required: ["reasoning", "append_knowledge", "use_existing"],
      properties: {
        append_knowledge: {
          items: {
            properties: {
              source: { enum: ["workout_history", "muscle_goals", "preferences"] },
              reason: { enum: ["not_in_context", "expand_range", "refresh_state"] },
              days_back: { type: ["integer", "null"] },
            },
          },
        },
      },
    });
    expect(world.model.requests).toHaveLength(1);
  });

  it("I1 F1 is asked about a message of files alone, too, and reads their names", async () => {
    const world = initialized([none], {}, [{}, { files: memoryFiles() }]);
    const notes = new Blob(["# Notes"]);
    await world.say([
      { type: "file", data: notes, name: "plan.md" },
      { type: "file", data: notes },
    ]);
    expect(promptOf(world.small)).toContain("[A file: plan.md]\n[A file: text/plain]");
  });

  it("I1 forces no model that cannot be forced, and takes its call or its JSON", async () => {
    const json = JSON.stringify(choiceOf([{ source: "muscle_goals" }]));
    const replies = [
      choosing({ source: "muscle_goals" }),
      { text: json },
      { text: `Sure!\n\`\`\`json\n${json}\n\`\`\`\nThat is all, {really}.` },
      { text: `<think>{"append_knowledge": []}</think> Here: ${json} ` },
    ];
    for (const reply of replies) {
      const world = initialized([reply], { model: { forcedToolChoice: false } });
      const { sessionId } = await world.say("Hi");
      expect(world.small.requests[0]?.toolChoice).toBeUndefined();
      expect((await world.knowledge(sessionId)).map(({ source }) => source)).toEqual(["muscle_goals"]);
    }
  });

  it("I1 receives the user's message, the conversation so far, and the loaded data, with params and age", async () => {
    const world = initialized([choosing(history("not_in_context", 30)), none]);
    const { sessionId } = await world.say("First words");
    expect(promptOf(world.small)).toBe(
      "<loaded>\n(nothing yet)\n</loaded>\n\n<message>\nFirst words\n</message>",
    );
    const knowledge = [{ source: "current_workout_session", data: "{}" }];
    await world.say("Second words", { sessionId, knowledge });
    expect(promptOf(world.small, 1)).toBe(
      [
        '<loaded>\nworkout_history {"days_back":30,"limit":10}, just now\ncurrent_workout_session, just now\n</loaded>',
        "<conversation>\nuser: First words\nassistant: Ok.\n</conversation>",
        "<message>\nSecond words\n</message>",
      ].join("\n\n"),
    );
  });

  it("I1 reads as many earlier messages as it is to, and what an agent says through its tools", async () => {
    const spoken = ({ type, data }: StoredEvent) =>
      type === "assistant_message" ? `said in ${(data as { attempt: number }).attempt}` : undefined;
    const world = initialized([none, none, none], { earlierMessages: 1, spoken });
    const { sessionId } = await world.say("One");
    await world.say("Two", { sessionId });
    expect(promptOf(world.small, 1)).toMatch(/<conversation>\nassistant: said in \d+\n<\/conversation>/);
    const silent = initialized([none, none], { earlierMessages: 0 });
    const first = await silent.say("One");
    await silent.say("Two", { sessionId: first.sessionId });
    expect(promptOf(silent.small, 1)).not.toContain("<conversation>");
  });

  it("I1 knows the sources with their ranges, and which task needs which, as rows or as a text", async () => {
    const guidance = [
      { task: "Workout generation", sources: ["muscle_goals", "workout_history"], note: "30 days" },
      { task: "Small talk", sources: [] },
    ];
    const world = initialized([none], { guidance });
    await world.say("Hi");
    const system = String(world.small.requests[0]?.system[0]?.text);
    expect(system).toContain(
      "- workout_history: Past workouts. Takes days_back (from 1 to 365; 14 if null).",
    );
    expect(system).toContain("- muscle_goals: Goals by muscle.\n");
    expect(system).toContain(
      "- Workout generation: muscle_goals, workout_history (30 days)\n- Small talk: nothing",
    );
    const text = initialized([none], { guidance: "Always the goals." });
    await text.say("Hi");
    expect(String(text.small.requests[0]?.system[0]?.text)).toContain("Always the goals.");
  });

  it("I1 is refused without sources, with one name twice, with guidance about nothing, and with bad limits", () => {
    const sources = someSources();
    const model = initialized([]).small;
    const made = (options: object) => () => initializer({ model, sources, ...options });
    expect(made({ sources: [] })).toThrow('"initializer" needs at least one data source in `sources`.');
    expect(made({ sources: [...sources, ...sources] })).toThrow(
      'Two data sources are named "workout_history"; names must be unique.',
    );
    expect(made({ guidance: [{ task: "Plans", sources: ["plans"] }] })).toThrow(
      'The guidance for "Plans" names "plans", which is not among the `sources`.',
    );
    expect(made({ timeoutMs: 0 })).toThrow(
      'timeoutMs of "initializer" must be a whole number from 1, not 0.',
    );
    expect(made({ earlierMessages: -1 })).toThrow("earlierMessages");
  });
});

describe("what is done with its choice", () => {
  it("I1 I2 stores each chosen source as knowledge with its params, before the agent answers, and why", async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const pricing = { input: 1, output: 4, cacheRead: 0.1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const input = choiceOf([
      history("not_in_context", 30),
      { source: "muscle_goals" },
      { source: "preferences" },
    ]);
    const world = initialized([{ tools: [{ name: "select_knowledge", input }], usage }], {
      model: { pricing },
    });
    const { sessionId, runId } = await world.say("A chest workout, please");
    expect(await world.knowledge(sessionId)).toEqual([
      { source: "workout_history", data: "30 days of workouts", params: { days_back: 30, limit: 10 } },
      { source: "muscle_goals", data: '[{"muscle":"chest","share":0.5}]', params: {} },
      { source: "preferences", data: "(nothing on record)", params: {} },
    ]);
    expect(await world.of(sessionId, "knowledge.selection")).toEqual([
      {
        hook: "initializer",
        run_id: runId,
        reasoning: "Because.",
        append_knowledge: [
          { source: "workout_history", reason: "not_in_context", params: { days_back: 30 } },
          { source: "muscle_goals", reason: "not_in_context", params: {} },
          { source: "preferences", reason: "not_in_context", params: {} },
        ],
        use_existing: [],
        dropped: [],
        model: "small",
      },
    ]);
    const tokens = {
      prompt: 1_000,
      completion: 100,
      cached: 0,
      cache_write: 0,
      cache_write_1h: 0,
      total: 1_100,
    };
    expect(await world.of(sessionId, "spending")).toEqual([
      { by: "initializer", model: "small", tokens, cost_cents: 0.14, answer: expect.any(Object) },
    ]);
    const [request] = world.model.requests;
    expect(JSON.stringify(request?.messages)).toContain('<knowledge source=\\"workout_history\\">\\n30 days');
    expect(world.asked.map(({ userId }) => userId)).toEqual(["u1", "u1", "u1"]);
    const selection = (await world.log(sessionId)).find(({ type }) => type === "knowledge.selection");
    expect(selection?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("I2 fetches side by side", async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const meet = async () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return "met";
    };
    const sources = ["a", "b"].map((name) => dataSource({ name, description: name, fetch: meet }));
    const world = initialized([choosing({ source: "a" }, { source: "b" })], { sources });
    const { sessionId } = await world.say("Hi");
    expect((await world.knowledge(sessionId)).map(({ data }) => data)).toEqual(["met", "met"]);
  });

  it("I2 reports each piece of knowledge to readers", async () => {
    const world = initialized([choosing({ source: "muscle_goals" })]);
    const run = world.pawl.run("tester", { userId: "u1", input: "Hi" });
    const seen: string[] = [];
    for await (const event of run) {
      if (event.type === "knowledge") seen.push(event.data.source);
      if (event.type === "llm_request") seen.push(event.type);
    }
    expect(seen).toEqual(["muscle_goals", "llm_request"]);
  });

  it("I2 appends a wider range and a newer state, and never replaces; the prompt only grows", async () => {
    const world = initialized([
      choosing(history("not_in_context")),
      choosing(history("expand_range", 60)),
      choosing(history("refresh_state")),
    ]);
    const { sessionId } = await world.say("One");
    await world.say("Two", { sessionId });
    await world.say("Three", { sessionId });
    expect((await world.knowledge(sessionId)).map(({ params }) => params?.days_back)).toEqual([14, 60, 60]);
    const texts = world.model.requests.map(({ messages }) =>
      messages.flatMap(({ content }) => (content as unknown as { text: string }[]).map(({ text }) => text)),
    );
    for (const [n, earlier] of texts.slice(0, -1).entries())
      expect(texts[n + 1]?.slice(0, earlier.length)).toEqual(earlier);
  });

  it.each([
    ["the same again", 14, history("not_in_context"), "already_there"],
    ["a part of it", 14, history("not_in_context", 7), "already_there"],
    ["an expansion that widens nothing", 14, history("expand_range", 14), "not_wider"],
    [
      "an expansion of what has no range",
      null,
      { source: "muscle_goals", reason: "expand_range", days_back: 9 },
      "not_wider",
    ],
  ])("I2 does not fetch %s", async (_title, days, wish, why) => {
    const world = initialized([
      choosing(history("not_in_context", days), { source: "muscle_goals" }),
      choosing(wish),
    ]);
    const { sessionId } = await world.say("One");
    const before = world.asked.length;
    await world.say("Two", { sessionId });
    expect(world.asked).toHaveLength(before);
    const selections = await world.of(sessionId, "knowledge.selection");
    expect(selections[1]).toMatchObject({ append_knowledge: [], dropped: [{ source: wish.source, why }] });
  });

  it("I2 fetches more where more is wanted for the wrong reason, and refreshes what is not there", async () => {
    const world = initialized([
      choosing(history("refresh_state"), { source: "muscle_goals", reason: "expand_range", days_back: 3 }),
      choosing(history("not_in_context", 90)),
    ]);
    const { sessionId } = await world.say("One");
    await world.say("Two", { sessionId });
    expect((await world.knowledge(sessionId)).map(({ source, params }) => [source, params])).toEqual([
      ["workout_history", { days_back: 14, limit: 10 }],
      ["muscle_goals", {}],
      ["workout_history", { days_back: 90, limit: 10 }],
    ]);
  });

  it("I2 merges several wishes for one source, and keeps days_back within what the source allows", async () => {
    const wishes = [history("not_in_context"), history("expand_range", 10_000), history("not_in_context", 3)];
    const world = initialized([choosing(...wishes)]);
    const { sessionId } = await world.say("Everything!");
    expect(world.asked).toEqual([
      { source: "workout_history", userId: "u1", params: { days_back: 365, limit: 10 } },
    ]);
    expect((await world.of(sessionId, "knowledge.selection"))[0]).toMatchObject({
      append_knowledge: [{ source: "workout_history", reason: "expand_range", params: { days_back: 365 } }],
      dropped: [
        { source: "workout_history", why: "duplicate" },
        { source: "workout_history", why: "duplicate" },
      ],
    });
  });

  it("I2 counts what a client has sent, not what was taken back or left out by a checkpoint", async () => {
    const wish = choosing({ source: "muscle_goals" });
    const world = initialized([wish, wish, wish, wish]);
    const knowledge = [{ source: "muscle_goals", data: "chest" }];
    const { sessionId } = await world.say("One", { knowledge });
    expect(world.asked).toHaveLength(0);
    const sent = (await world.log(sessionId)).find(({ type }) => type === "knowledge");
    await world.pawl.redact(sessionId, sent?.seq ?? 0, { userId: "u1" });
    await world.say("Two", { sessionId });
    expect(world.asked).toHaveLength(1);
    await world.say("Three", { sessionId });
    expect(world.asked).toHaveLength(1);
    const { seq } = (await world.log(sessionId)).findLast(({ type }) => type === "user_message") ?? {
      seq: 0,
    };
    await world.pawl.startContextAt(sessionId, { userId: "u1", fromSeq: seq });
    await world.say("Four", { sessionId });
    expect(world.asked).toHaveLength(2);
  });

  it("I2 names the loaded data that it keeps using, and nothing else", async () => {
    const use = { use_existing: ["muscle_goals", "stock_prices"] };
    const world = initialized([
      choosing({ source: "muscle_goals" }),
      { tools: [{ name: "select_knowledge", input: choiceOf([], use) }] },
    ]);
    const { sessionId } = await world.say("One");
    await world.say("Two", { sessionId });
    expect((await world.of(sessionId, "knowledge.selection"))[1]?.use_existing).toEqual(["muscle_goals"]);
  });

  it("I2 two initializers of one agent do not take each other's choice for their own", async () => {
    const other = initialized([choosing({ source: "preferences" })]);
    const second = initializer({ model: other.small, sources: someSources(), name: "second" });
    const first = initialized([choosing({ source: "muscle_goals" })]);
    const both = worldOf({ hooks: [initializer({ model: first.small, sources: someSources() }), second] });
    const { sessionId } = await both.say("Hi");
    expect((await both.knowledge(sessionId)).map(({ source }) => source)).toEqual([
      "muscle_goals",
      "preferences",
    ]);
  });
});
