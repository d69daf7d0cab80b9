import type { Json } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import { describe, expect, it } from "vitest";
import { storyOf } from "../web/workout/story.ts";

type Call = readonly [toolName: string, result: Json, phase?: "done" | "error"];

const plank = (id: string) => ({
  id,
  order: 1,
  exercise_name: "Plank",
  exercise_type: "hold",
  sets: 1,
  hold_sec: [30],
  rest_sec: 0,
});
const generated = (id: string): Call => ["generate_workout", { success: true, artifact_id: id }];
const delivered = (id: string, type = "exercise_list"): Call => [
  "message_notify_user",
  {
    success: true,
    message: "Here.",
    artifact: { artifact_id: id, type, payload: { title: `Workout ${id}`, exercises: [plank(`${id}1`)] } },
  },
];
const swapped = (old: string, made: string): Call => [
  "swap_exercise",
  { success: true, old_exercise: { id: old }, new_exercise: plank(made), new_id: made },
];

function assistant(...calls: Call[]): ViewMessage {
  const parts = calls.map(
    ([toolName, result, phase = "done"], at): ViewPart => ({
      type: "tool",
      key: `1:${at}`,
      callId: `c${at}`,
      toolName,
      phase,
      arguments: {},
      result,
    }),
  );
  return { id: "run:1", role: "assistant", text: "", parts, seq: 2 };
}

const user = (text: string): ViewMessage => ({ id: text, role: "user", text, parts: [], seq: 1 });
const idsIn = (message: ViewMessage) =>
  storyOf([message]).current?.workout.exercises.map(({ id }) => id) ?? [];

describe("X2 the workouts of a conversation", () => {
  it("E5 shows a workout when it is delivered, with earlier changes", () => {
    expect(idsIn(assistant(generated("a"), swapped("a1", "x")))).toEqual([]);
    const message = assistant(generated("a"), swapped("a1", "x"), delivered("a"));
    expect(idsIn(message)).toEqual(["x"]);
    expect(storyOf([message]).current?.marks).toEqual(new Map([["x", "swapped"]]));
  });

  it("keeps an older workout as it was when another one replaced it", () => {
    const { cards, current, delivery } = storyOf([
      assistant(generated("a"), delivered("a"), generated("b"), delivered("b"), swapped("b1", "x")),
    ]);
    expect(cards.get("a")?.workout.exercises.map(({ id }) => id)).toEqual(["a1"]);
    expect([current?.artifactId, delivery]).toEqual(["b", "c3"]);
  });

  it("has no active workout once it is logged, and ignores failed calls", () => {
    const failed: Call = ["swap_exercise", "This did not work.", "error"];
    const logged: Call = ["log_workout", { success: true, logged_count: 1, total_in_workout: 1 }];
    const story = storyOf([assistant(generated("a"), delivered("a"), failed, logged)]);
    expect(story.current).toBeUndefined();
    expect(story.cards.get("a")).toMatchObject({ marks: new Map(), logged: { count: 1, total: 1 } });
    expect(story.logged).toBe(1);
  });

  it.each<readonly [string, Json]>([
    ["another type", delivered("a", "draft")[1]],
    ["no artifact", { success: true, artifact: "x" }],
    ["no exercises", { success: true, artifact: { artifact_id: "a", type: "exercise_list", payload: {} } }],
    ["no result", null],
  ])("ignores an invalid workout: %s", (_, result) => {
    const story = storyOf([assistant(generated("a"), ["message_notify_user", result])]);
    expect([story.cards.size, story.delivery, story.current]).toEqual([0, undefined, undefined]);
  });

  it("takes the user's next message as the answer to a question", () => {
    const asked = assistant(["message_ask_user", { success: true, question: "Ready?", options: [] }]);
    expect(storyOf([asked]).answers.size).toBe(0);
    expect(storyOf([user("Hi"), asked, user("Yes"), user("Go")]).answers).toEqual(new Map([["c0", "Yes"]]));
  });
});
