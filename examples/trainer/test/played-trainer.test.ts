import { claude } from "@pawl/anthropic";
import type { MessagesApi } from "@pawl/testing";
import { beforeAll, describe, expect, it } from "vitest";
import type { ClientResponse } from "../src/http/client-response.ts";
import { trainerRules } from "../src/index.ts";
import { embeddedPlace, world } from "./support/world.ts";

const small = (api: MessagesApi) => claude("claude-haiku-5-5", { apiKey: "simulator", baseURL: api.url });

async function simulated() {
  const rules = trainerRules({ speed: Number.POSITIVE_INFINITY });
  const { ask, api } = await world({ rules, initializer: small });
  let sessionId: string | undefined;
  const say = async (message: string) => {
    const answer = await ask("/chat", { json: { message, ...(sessionId && { sessionId }) } });
    const said = (await answer.json()) as { sessionId: string; response: ClientResponse };
    sessionId = said.sessionId;
    expect(api.rejected).toEqual([]);
    const exercises = (said.response.exercises ?? []) as {
      exercise_name: string;
      muscles_utilized: { muscle: string }[];
    }[];
    return { ...said.response, names: exercises.map((one) => one.exercise_name), exercises };
  };
  return { say };
}

describe("X2 the simulated trainer's answers", () => {
  // On a busy machine, creating the database takes longer than one test may.
  beforeAll(async () => {
    await embeddedPlace();
  }, 120_000);

  it.each(["A quick full-body workout, 30 minutes", "A quick full body workout", "Full body"])(
    "X2 understands the page's suggestions, and plans for the whole body: %s",
    async (words) => {
      const { say } = await simulated();
      const { exercises } = await say(words);
      const muscles = exercises.map(({ muscles_utilized: [first] }) => first?.muscle);
      expect(muscles).toContain("Chest");
      expect(muscles).toContain("Back");
      expect(muscles).toContain("Quadriceps");
    },
  );

  it("X2 respects injuries: no overhead pressing and no dips, also as replacements", async () => {
    const { say } = await simulated();
    for (const words of [
      "A chest workout",
      "Swap exercise 1",
      "Swap exercise 4",
      "A shoulder workout",
      "An arm workout",
    ]) {
      const { names } = await say(words);
      expect(names).not.toContain("Dumbbell shoulder press");
      expect(names).not.toContain("Bench dip");
    }
  });

  it("X2 names the locations without their ids", async () => {
    const { say } = await simulated();
    const { messages } = await say("I'm at the park");
    expect(messages[0]).toMatch(/There are: Home Gym; City Gym; Hotel room\.$/);
  });

  it("X2 lists the last workouts line by line, and keeps no notes of the card's own text", async () => {
    const { say } = await simulated();
    await say("A quick chest workout");
    await say("Please log this workout: 1 (Dumbbell bench press) 2 of 3 sets; the rest I skipped");
    const { messages } = await say("How was my last week?");
    const [told = ""] = messages;
    expect(told).toMatch(
      /\*\*\d{4}-\d\d-\d\d: Quick chest session\*\*\n\n- Dumbbell bench press: 10, 10 reps/,
    );
    expect(told.match(/\*\*\d{4}/g)).toHaveLength(3);
    expect(told).toMatch(/^Last 30 days: \d+ workouts/);
    expect(told).not.toContain("workout_history");
  });
});
