import { claude } from "@pawl/anthropic";
import type { ModelClient } from "@pawl/core";
import { openai } from "@pawl/openai";
import { messagesApi, openaiApi, type Reply } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { allowPrinted, expectPrinted } from "../../../test/support/printed.ts";
import { until } from "../../../test/support/until.ts";
import { embeddedPlace, idle, notify, sent, told, world } from "./support/world.ts";

/**
 * Starts a server with these replies. Resolves to a function that creates the initializer's model over it.
 */
async function helper(reply: (tool: string) => Reply): Promise<() => ModelClient> {
  const api = await messagesApi({ rules: ({ tools = [] }) => reply(String(tools[0]?.name)) });
  onTestFinished(() => api.close());
  return () => claude("claude-haiku-5-5", { apiKey: "simulator", baseURL: api.url });
}

const choosing =
  (append_knowledge: object[]) =>
  (tool: string): Reply => ({
    tools: [{ name: tool, input: { reasoning: "Because.", append_knowledge, use_existing: [] } as never }],
  });
const history = { source: "workout_history", reason: "not_in_context", days_back: 14 };
const goals = { source: "category_goals", reason: "not_in_context", days_back: null };
const script = [notify("Hello."), idle];

const say = async (made: Awaited<ReturnType<typeof world>>, more: object = {}) => {
  const response = await made.ask("/chat", { json: { message: "A chest workout", ...more } });
  return (await response.json()) as {
    sessionId: string;
    response: { messages: string[] };
    stop: { error: boolean };
  };
};

describe("12.3 the initializer in the trainer", () => {
  it("X2 I1 I2 chooses data, which is in the trainer's first request and is reported to the client", async () => {
    const made = await world({ script, initializer: await helper(choosing([history, goals])) });
    const response = await made.ask("/stream", { json: { message: "A chest workout" } });
    const events = await told(response);
    const knowledge = events.filter(({ type }) => type === "knowledge");
    expect(knowledge).toEqual([
      {
        type: "knowledge",
        data: { source: "workout_history", displayName: expect.any(String), status: "done" },
      },
      {
        type: "knowledge",
        data: { source: "category_goals", displayName: expect.any(String), status: "done" },
      },
    ]);
    const first = JSON.stringify(sent(made)[0]?.messages);
    expect(first).toContain('knowledge source=\\"workout_history\\"');
    expect(first).toContain('knowledge source=\\"category_goals\\"');
    const [stored] = await made.of(response.headers.get("x-pawl-session") ?? "", "knowledge");
    expect(stored?.data.params).toMatchObject({ days_back: 14 });
  });

  it("X2 I1 can be a small model from OpenAI", async () => {
    const api = await openaiApi({
      rules: ({ tools = [] }) =>
        choosing([goals])(String((tools[0] as { function?: { name: string } })?.function?.name)),
    });
    onTestFinished(() => api.close());
    const made = await world({
      script,
      initializer: () => openai("gpt-4o-mini", { apiKey: "simulator", baseURL: api.url }),
    });
    const { sessionId } = await say(made);
    expect((await made.of(sessionId, "knowledge")).map(({ data }) => data.source)).toEqual([
      "category_goals",
    ]);
    const [asked] = api.requests.map(
      ({ body }) => body as { model?: string; tools?: unknown[]; tool_choice?: unknown },
    );
    expect(asked?.model).toBe("gpt-4o-mini");
    expect(asked?.tools).toMatchObject([
      {
        function: {
          strict: true,
          parameters: { required: ["reasoning", "append_knowledge", "use_existing"] },
        },
      },
    ]);
    expect(asked?.tool_choice).toMatchObject({ type: "function" });
    expect(api.rejected).toEqual([]);
  });

  it("X2 I1 gets the message and the names of data that is already loaded", async () => {
    const api = await messagesApi({ rules: ({ tools = [] }) => choosing([history])(String(tools[0]?.name)) });
    onTestFinished(() => api.close());
    const made = await world({
      script: [...script, ...script],
      initializer: () => claude("claude-haiku-5-5", { apiKey: "simulator", baseURL: api.url }),
    });
    const { sessionId } = await say(made);
    await say(made, { sessionId, message: "And legs tomorrow" });
    const [first, second] = api.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("A chest workout");
    expect(first).not.toContain("workout_history {");
    expect(second).toContain("And legs tomorrow");
    expect(second).toMatch(/<loaded>[^<]*workout_history [^<]*days_back[^<]*14[^<]*<\/loaded>/);
    expect(await made.of(sessionId, "knowledge")).toHaveLength(1);
  });

  it("X2 I2 fetches sources in parallel", async () => {
    const place = await embeddedPlace();
    let [running, most] = [0, 0];
    const slowly =
      <A extends unknown[], T>(fetch: (...args: A) => Promise<T>) =>
      async (...args: A): Promise<T> => {
        running += 1;
        most = Math.max(most, running);
        await until(() => most === 3);
        running -= 1;
        return await fetch(...args);
      };
    const { categoryGoals, preferences, history: past } = place.data;
    const data = {
      ...place.data,
      ...{ categoryGoals: slowly(categoryGoals), preferences: slowly(preferences), history: slowly(past) },
    };
    const all = [goals, history, { ...goals, source: "active_preferences" }];
    const made = await world({ script, place: { ...place, data }, initializer: await helper(choosing(all)) });
    const { sessionId } = await say(made);
    expect(await made.of(sessionId, "knowledge")).toHaveLength(3);
    expect(most).toBe(3);
  });

  it("X2 I2 appends a longer range after the shorter one, and never replaces it", async () => {
    const wider = { source: "workout_history", reason: "expand_range", days_back: 60 };
    let asked = 0;
    const made = await world({
      script: [...script, ...script],
      initializer: await helper((tool) => choosing([asked++ === 0 ? history : wider])(tool)),
    });
    const { sessionId } = await say(made);
    await say(made, { sessionId });
    const pieces = await made.of(sessionId, "knowledge");
    expect(pieces.map(({ data }) => data.params)).toMatchObject([{ days_back: 14 }, { days_back: 60 }]);
    const workouts = pieces.map(({ data }) => new Set(data.data.match(/\d{4}-\d\d-\d\d/g)).size);
    // The numbers of workouts in 14 and in 60 days depend on the day of the week.
    expect(workouts[0]).toBeLessThan(10);
    expect(workouts[1]).toBeGreaterThan(15);
    expect(made.api.rejected).toEqual([]);
  });

  const LATE = "It took longer than 150 ms.";
  const faults: readonly (readonly [string, (tool: string) => Reply, printed?: string])[] = [
    ["down", () => ({ fault: { status: 500 } }), "Internal server error"],
    ["refusing its key", () => ({ fault: { status: 401 } }), "authentication_error"],
    ["cut off in the middle", (tool) => ({ ...choosing([goals])(tool), fault: { cut: 3 } }), "terminated"],
    ["slow", (tool) => ({ ...choosing([goals])(tool), latencyMs: 60_000 }), LATE],
    ["silent", () => ({ text: "" }), "claude-haiku-5-5 gave no output"],
    ["talking instead", () => ({ text: "I would take the goals." }), "claude-haiku-5-5 gave no output"],
    ["lying about sources", choosing([{ source: "passwords", reason: "not_in_context", days_back: null }])],
    [
      "sending what fits nothing",
      (tool) => ({ tools: [{ name: tool, input: { append_knowledge: "all" } }] }),
      "claude-haiku-5-5 gave an output that does not match the schema",
    ],
  ];
  for (const [name, reply, printed] of faults) {
    it(`X2 I3 while it is ${name}, the trainer still answers`, async () => {
      // On a busy machine, each of them may take too long.
      if (printed === undefined) allowPrinted(`initializer: ${LATE}`);
      else expectPrinted(new RegExp(`^initializer: (${printed}|${LATE})`));
      const made = await world({ script, initializer: await helper(reply), initializerTimeoutMs: 150 });
      const { sessionId, response, stop } = await say(made);
      expect([response.messages, stop.error]).toEqual([["Hello."], false]);
      expect(await made.of(sessionId, "knowledge")).toEqual([]);
      expect(made.api.rejected).toEqual([]);
    });
  }
});
