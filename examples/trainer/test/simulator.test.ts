import { claude } from "@pawl/anthropic";
import { describe, expect, it } from "vitest";
import { trainerRules } from "../src/index.ts";
import { world } from "./support/world.ts";

interface Response {
  messages: string[];
  exercises: { exercise_name: string }[] | null;
}

/** A conversation with the simulated trainer. The simulator also plays the initializer. */
async function talk() {
  const made = await world({
    rules: trainerRules({ speed: Number.POSITIVE_INFINITY }),
    initializer: (api) => claude("claude-haiku-5-5", { apiKey: "simulator", baseURL: api.url }),
  });
  const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
    session: { id: string };
  };
  const say = async (message: string): Promise<Response> => {
    const answer = await made.ask("/chat", { json: { message, sessionId: session.id } });
    return ((await answer.json()) as { response: Response }).response;
  };
  const names = ({ exercises }: Response) => exercises?.map(({ exercise_name }) => exercise_name) ?? [];
  return { made, say, names, sessionId: session.id };
}

describe("the simulated trainer", () => {
  it("X2 plans without what the user's preferences rule out", async () => {
    const { say, names, made } = await talk();
    for (const message of ["A chest workout", "An arms workout", "A shoulders workout", "Swap exercise 1"]) {
      const planned = names(await say(message)).join();
      expect(planned).not.toBe("");
      expect(planned).not.toMatch(/shoulder press|pike|overhead|dip/i);
    }
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 finds an exercise by the longest name in the message", async () => {
    const { say, names } = await talk();
    const planned = names(await say("A chest workout"));
    expect(planned).toContain("Push-up");
    const left = names(await say("Please drop the push-ups"));
    expect(left).toEqual(planned.filter((name) => name !== "Push-up"));
  });

  it("X2 logs nothing when asked what was logged, and says so when there is nothing to log", async () => {
    const { say, names, made, sessionId } = await talk();
    const planned = names(await say("A quick chest workout"));
    const asked = await say("What did I log last week?");
    expect(asked.messages[0]).toMatch(/^Last 30 days/);
    const results = await made.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.tool_name)).not.toContain("log_workout");
    await say("Log it: I did more of the push-ups");
    const logged = (await made.of(sessionId, "tool_result")).filter(
      ({ data }) => data.tool_name === "log_workout",
    );
    expect(logged).toHaveLength(1);
    await say("A quick chest workout");
    for (const _ of planned) await say("Remove exercise 1");
    expect((await say("Log it")).messages[0]).toContain("no exercises left");
  });
});
