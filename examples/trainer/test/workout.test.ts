import { toJsonSchema } from "@pawl/core";
import { validateChatRequest, validateMessagesRequest } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { exerciseInput, muscles, trainerTools, workoutInput, workoutOf } from "../src/index.ts";
import { counting, group, intervals, plank, press, run, session } from "./support/exercises.ts";

/** Returns the problems of a workout with these exercises; empty if it is valid. */
function problems(...exercises: object[]): string {
  const parsed = workoutInput.safeParse(session(...exercises));
  return parsed.success
    ? ""
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

describe("X2 exercises", () => {
  it("X2 has four types, each with its own fields", () => {
    expect(problems(press(), plank(), run(), intervals())).toBe("");
    expect(problems({ ...press(), exercise_type: "yoga" })).toContain("exercise_type");
    for (const [exercise, field] of [
      [press(), "reps"],
      [press(), "rest_sec"],
      [plank(), "hold_sec"],
      [run(), "duration_min"],
      [intervals(), "work_sec"],
    ] as const) {
      const { [field as never]: _, ...without } = exercise;
      expect(problems(without)).toContain(field);
    }
    expect(problems(press({ duration_min: 3 }))).toContain("duration_min");
    expect(problems(press({ id: "mine" }))).toContain('"id"');
  });

  it("X2 knows sixteen muscles and no other", () => {
    expect(muscles).toHaveLength(16);
    for (const muscle of muscles)
      expect(problems(press({ muscles_utilized: [{ muscle, share: 1 }] }))).toBe("");
    expect(problems(press({ muscles_utilized: [{ muscle: "Heart", share: 1 }] }))).toContain("muscle");
    const twice = [
      { muscle: "Chest", share: 0.5 },
      { muscle: "Chest", share: 0.5 },
    ];
    expect(problems(press({ muscles_utilized: twice }))).toContain('"Chest" is named twice');
  });

  it.each([
    [[0.2], false, "sum to 0.2"],
    [[0.94], false, "sum to 0.94"],
    [[0.95], true, ""],
    [[0.35, 0.35, 0.35], true, ""],
    [[0.6, 0.5], false, "sum to 1.1"],
    [[-0.5, 1, 0.5], false, "share"],
    [[1.5], false, "share"],
    [[Number.NaN], false, "share"],
    [[Number.POSITIVE_INFINITY], false, "share"],
    [[], false, "muscles_utilized"],
  ])("X2 shares %j sum to about one: %s", (shares, valid, text) => {
    const muscles_utilized = shares.map((share, at) => ({ muscle: muscles[at], share }));
    const found = problems(press({ muscles_utilized }));
    expect(found === "").toBe(valid);
    expect(found).toContain(text);
  });

  it.each<[string, object]>([
    ["no sets", { sets: 0 }],
    ["half a set", { sets: 2.5 }],
    ["a thousand sets", { sets: 1_000 }],
    ["negative repetitions", { reps: [-1] }],
    ["no number of repetitions", { reps: [Number.NaN] }],
    ["an endless load", { load_each: [Number.POSITIVE_INFINITY] }],
    ["a load of tons", { load_each: [1e9] }],
    ["a load below nothing", { load_each: [-5] }],
    ["a rest of days", { rest_sec: 1e6 }],
    ["a load without its unit", { load_unit: undefined }],
    ["two values for three sets", { reps: [10, 10] }],
    ["four loads for three sets", { load_each: [1, 2, 3, 4] }],
    ["a name without words", { exercise_name: "  " }],
    ["a novel of a name", { exercise_name: "x".repeat(10_000) }],
    ["numbers as text", { sets: "3" }],
  ])("X2 T3 refuses %s", (_, more) => expect(problems(press(more))).not.toBe(""));

  it("X2 reports what is wrong, so that the model can fix it", () => {
    expect(problems(press({ reps: [10, 10] }))).toBe(
      "exercises.0.reps: There are 3 sets but 2 values. Give one for each set, or a single one for all.",
    );
  });

  it("X2 refuses ten thousand exercises", () => {
    expect(problems(...Array.from({ length: 10_000 }, () => press()))).toMatch(/^exercises: .{0,80}$/);
    expect(problems()).toContain("exercises");
  });

  it("X2 is numbered from one without gaps, whatever numbers the model sent, and gets our ids", () => {
    const input = workoutInput.parse(session(press({ order: 7 }), plank({ order: 3 }), run({ order: 7 })));
    const { exercises } = workoutOf(input, counting());
    expect(exercises.map(({ id, order, exercise_name }) => [id, order, exercise_name])).toEqual([
      ["id-1", 1, "Plank"],
      ["id-2", 2, "Bench press"],
      ["id-3", 3, "Easy run"],
    ]);
  });

  it("X2 a single value stands for all sets", () => {
    const input = workoutInput.parse(
      session(press({ reps: [12], load_each: [20] }), plank({ hold_sec: [45] })),
    );
    const { exercises } = workoutOf(input, counting());
    expect(exercises[0]).toMatchObject({ reps: [12, 12, 12], load_each: [20, 20, 20] });
    expect(exercises[1]).toMatchObject({ hold_sec: [45, 45] });
  });
});

describe("X2 groups", () => {
  it.each<[string, object[]]>([
    ["a superset of two", [press(group("superset", 1, { name: "A" })), plank(group("superset", 2))]],
    ["a giant set of three", [1, 2, 3].map((position) => press(group("giant_set", position)))],
    [
      "a circuit",
      [press(group("circuit", 1, { rounds: 3, rest_between_rounds_sec: 60 })), run(group("circuit", 2))],
    ],
    ["a warm-up of one", [run(group("warmup", 1)), press()]],
  ])("X2 takes %s", (_, exercises) => expect(problems(...exercises)).toBe(""));

  it.each<[string, object[], string]>([
    ["a superset of one", [press(group("superset", 1))], "exactly 2 exercises, and this one 1"],
    ["a superset of three", [1, 2, 3].map((n) => press(group("superset", n))), "exactly 2"],
    ["a giant set of two", [1, 2].map((n) => press(group("giant_set", n))), "3 exercises or more"],
    ["a gap", [press(group("circuit", 1)), press(group("circuit", 3))], "positions are 1, 3"],
    ["a position twice", [press(group("circuit", 1)), press(group("circuit", 1))], "positions are 1, 1"],
    ["two types", [press(group("circuit", 1)), press(group("sequence", 2))], "different types"],
    [
      "a stranger between",
      [press(group("circuit", 1)), plank(), press(group("circuit", 2))],
      "follow one another",
    ],
    [
      "rounds at the second",
      [press(group("circuit", 1)), press(group("circuit", 2, { rounds: 3 }))],
      "first exercise only",
    ],
  ])("X2 T3 refuses %s", (_, exercises, text) => {
    const found = problems(...exercises);
    expect(found).toContain('Group "g"');
    expect(found).toContain(text);
  });
});

describe("X2 the schemas that models get", () => {
  const tools = trainerTools().map(({ spec }) => spec);

  it("X2 T1 are accepted by the Messages API", () => {
    const request = {
      model: "claude-haiku-4-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hi" }],
      tools,
    };
    expect(validateMessagesRequest(request)).toBeUndefined();
  });

  it("X2 T1 are accepted by Chat Completions", () => {
    const functions = tools.map(({ name, description, input_schema }) => ({
      type: "function",
      function: { name, description, parameters: input_schema },
    }));
    const request = { model: "gpt-5.4-mini", messages: [{ role: "user", content: "Hi" }], tools: functions };
    expect(validateChatRequest(request)).toBeUndefined();
  });

  it("X2 has no field for an id, and fits a prompt", () => {
    const text = JSON.stringify(toJsonSchema(exerciseInput, "an exercise"));
    expect(text).not.toContain('"id":{"type":"string","format"');
    expect(JSON.stringify(tools).length).toBeLessThan(33_000);
  });
});
