import { claude } from "@pawl/anthropic";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { trainerModels, trainerRules } from "../src/index.ts";
import { told, world } from "./support/world.ts";

const rules = trainerRules({ speed: Number.POSITIVE_INFINITY });
const chooser = async (): Promise<{ api: MessagesApi; model: () => ReturnType<typeof claude> }> => {
  const api = await messagesApi({ rules });
  onTestFinished(() => api.close());
  return { api, model: () => claude("claude-haiku-5-5", { apiKey: "simulator", baseURL: api.url }) };
};

interface Answer {
  sessionId: string;
  response: {
    messages: string[];
    exercises: { exercise_name: string; sets?: number }[] | null;
    question: unknown;
  };
  stop: { error: boolean };
}

describe.each(trainerModels)("12.8 with the simulator, asked as %s,", (model) => {
  const begin = async () => {
    const { model: initializer } = await chooser();
    const made = await world({ rules, initializer });
    const say = async (message: string, sessionId?: string) => {
      const json = { message, model, ...(sessionId && { sessionId }) };
      const answer = (await (await made.ask("/chat", { json })).json()) as Answer;
      expect(answer.stop.error).toBe(false);
      return answer;
    };
    return { made, say };
  };

  it("X2 makes and delivers a workout with the data it needs, mostly from the cache from the second iteration on", async () => {
    const { made, say } = await begin();
    const answer = await say("Give me a chest workout");
    expect(answer.response.messages).toHaveLength(1);
    expect(answer.response.exercises?.length).toBeGreaterThan(2);
    const { sessionId } = answer;
    expect((await made.of(sessionId, "tool_result")).map(({ data }) => data.tool_name)).toEqual([
      "generate_workout",
      "message_notify_user",
      "idle",
    ]);
    const sources = (await made.of(sessionId, "knowledge")).map(({ data }) => data.source);
    expect(sources).toEqual(["category_goals", "muscle_goals", "active_preferences", "workout_history"]);
    const rates = (await made.of(sessionId, "llm_response")).map(
      ({ data: { tokens } }) => tokens.cached / (tokens.prompt + tokens.cached + tokens.cache_write),
    );
    expect(Math.min(...rates.slice(1))).toBeGreaterThan(0.5);
    expect((await made.of(sessionId, "llm_request")).every(({ data }) => data.model === model)).toBe(true);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 swaps, adjusts and removes over several turns", async () => {
    const { made, say } = await begin();
    const { sessionId, response } = await say("Give me a chest workout");
    const before = response.exercises ?? [];
    const swapped = (
      await say(`Please swap exercise 1 (${before[0]?.exercise_name}): something different`, sessionId)
    ).response.exercises;
    expect(swapped?.[0]?.exercise_name).not.toBe(before[0]?.exercise_name);
    const adjusted = (await say("Please adjust exercise 2: sets 5, reps 6", sessionId)).response.exercises;
    expect(adjusted?.[1]?.sets).toBe(5);
    const removed = (await say("Please remove exercise 3", sessionId)).response.exercises;
    expect(removed).toHaveLength(before.length - 1);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 answers a simple message and becomes idle", async () => {
    const { made, say } = await begin();
    const { sessionId, response } = await say("Thanks!");
    expect(response.messages).toHaveLength(1);
    const results = await made.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.tool_name)).toEqual(["message_notify_user", "idle"]);
    expect(await made.of(sessionId, "knowledge")).toEqual([]);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 streams a run in the right order", async () => {
    const { made } = await begin();
    const response = await made.ask("/stream", { json: { message: "How am I doing?", model } });
    const events = (await told(response)).filter(({ type }) => type !== "status");
    const names = events.map(({ type, status, data }) =>
      `${type} ${status ?? (data as { status?: string } | undefined)?.status ?? ""}`.trim(),
    );
    expect(names).toEqual([
      "knowledge done",
      "knowledge done",
      "fetch_data running",
      "fetch_data done",
      "message_notify_user running",
      "message_notify_user done",
      "idle running",
      "idle done",
      "done",
    ]);
    expect(made.api.rejected).toEqual([]);
  });
});
