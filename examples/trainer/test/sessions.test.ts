import { artifactIn } from "@pawl/core";
import { contextTypes } from "@pawl/core/inspect";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";
import { currentWorkout, withSessionLog } from "../src/index.ts";
import { ask, call, embeddedPlace, idle, notify, press, workout, world } from "./support/world.ts";

interface Message {
  role: string;
  content: { type: string; name?: string; text?: string }[];
}

describe("12.5 sessions and events", () => {
  it("X2 E3 a session begins active, with its whole log as context", async () => {
    const made = await world();
    const response = await made.ask("/sessions", { method: "POST" });
    expect(response.status).toBe(201);
    const { session } = (await response.json()) as { session: object };
    expect(session).toMatchObject({
      status: "active",
      context_start_sequence: 0,
      total_tokens: 0,
      total_cost_cents: 0,
      metadata: {},
    });
  });

  it("X2 E3 a message without a session continues the newest open session, or begins one", async () => {
    const made = await world({ script: [ask(), notify(), idle, notify(), idle] });
    const say = async (message: string) =>
      ((await (await made.ask("/chat", { json: { message } })).json()) as { sessionId: string }).sessionId;
    const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
      session: { id: string };
    };
    expect(await say("A workout")).toBe(session.id);
    expect(await say("20 minutes")).toBe(session.id);
    expect(await say("Another one")).not.toBe(session.id);
  });

  it("X2 E2 events have gapless numbers, one each", async () => {
    const made = await world({ script: [workout(), notify(), idle] });
    const { sessionId } = (await (await made.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    const log = await made.log(sessionId);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    const append = made.store.append(sessionId, [{ type: "note", data: { text: "x" } }], {
      appendId: "x",
      afterSeq: 1,
    });
    await expect(append).rejects.toMatchObject({ code: "conflict" });
  });

  it("X2 E2 a session loses nothing and runs once if two devices write at the same time", async () => {
    const made = await world({
      rules: (_, { turn }) => ({ ...(turn === 0 ? notify() : idle), latencyMs: 20 }),
    });
    const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
      session: { id: string };
    };
    const json = { message: "Hi", sessionId: session.id };
    const statuses = await Promise.all([1, 2, 3].map(async () => (await made.ask("/chat", { json })).status));
    expect(statuses.sort()).toEqual([200, 409, 409]);
    expect(await made.of(session.id, "user_message")).toHaveLength(1);
  });

  it("X2 E4 totals are the sum over all answers of the model", async () => {
    const made = await world({ script: [workout(), notify(), idle] });
    const { sessionId } = (await (await made.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    const answers = (await made.of(sessionId, "llm_response")).map(({ data }) => data);
    const { session } = (await (await made.ask(`/sessions/${sessionId}`)).json()) as {
      session: {
        total_tokens: number;
        cached_tokens: number;
        total_cost_cents: number;
        cache_hit_rate: number;
      };
    };
    const sum = (of: (data: (typeof answers)[number]) => number) =>
      answers.reduce((total, data) => total + of(data), 0);
    expect(answers).toHaveLength(3);
    expect(session.total_tokens).toBe(sum(({ tokens }) => tokens.total));
    expect(session.cached_tokens).toBe(sum(({ tokens }) => tokens.cached));
    expect(session.total_cost_cents).toBeCloseTo(
      sum(({ cost_cents }) => cost_cents),
      6,
    );
    const prompts = sum(({ tokens }) => tokens.prompt + tokens.cached + tokens.cache_write);
    expect(session.cache_hit_rate).toBeCloseTo((100 * session.cached_tokens) / prompts, 0);
  });

  it("X2 E1 the model reads messages, calls and results, knowledge and artifacts, and nothing else", async () => {
    expect([...contextTypes].sort()).toEqual([
      "artifact",
      "assistant_message",
      "knowledge",
      "note",
      "output",
      "tool_result",
      "user_message",
    ]);
    const made = await world({ script: [workout(), notify(), idle, notify(), idle] });
    const { sessionId } = (await (await made.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    await made.store.append(
      sessionId,
      [
        { type: "knowledge", data: { source: "goals", data: "Run 5 km." } },
        { type: "error", data: { code: "unread", message: "Not for the model." } },
        { type: "trainer.note", data: { text: "Not for the model either." } },
      ] as never,
      { appendId: "x" },
    );
    await made.ask("/chat", { json: { message: "Thanks", sessionId } });
    const sent = made.api.requests.at(-1)?.body as { messages: Message[] } | undefined;
    const read = sent?.messages.map(({ role, content }) => [
      role,
      ...content.map(({ type, name, text }) => name ?? text?.match(/^<[a-z]+|^.*$/)?.[0] ?? type),
    ]);
    expect(read).toEqual([
      ["user", "Chest"],
      ["assistant", "generate_workout"],
      ["user", "tool_result", "<artifact"],
      ["assistant", "message_notify_user"],
      ["user", "tool_result"],
      ["assistant", "idle"],
      ["user", "tool_result", "<knowledge", "Thanks"],
      ["assistant", "message_notify_user"],
      ["user", "tool_result"],
    ]);
  });

  it("X2 E5 artifacts are found by their id within their session", async () => {
    const made = await world({ script: [workout(), notify(), idle] });
    const { sessionId } = (await (await made.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    const [event] = await made.of(sessionId, "artifact");
    const id = event?.data.artifact_id ?? "";
    expect(await artifactIn(made.store, sessionId, id)).toMatchObject({
      type: "exercise_list",
      schema_version: "1",
    });
    const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
      session: { id: string };
    };
    expect(await artifactIn(made.store, session.id, id)).toBeUndefined();
  });

  it("X2 a workout survives its process: another one swaps, adjusts and logs it", async () => {
    const place = await embeddedPlace();
    const first = await world({
      place,
      script: [workout(press(1), press(2, { exercise_name: "Push-up" })), notify(), idle],
    });
    const { sessionId } = (await (await first.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    const swap = call("swap_exercise", {
      exercise_id: "2",
      new_exercise: press(2, { exercise_name: "Cable fly" }),
    });
    const adjust = call("adjust_exercise", { exercise_id: "1", adjustments: { rest_sec: 120 } });
    const second = await world({ place, script: [swap, adjust, notify(), idle] });
    const result = await second.pawl.run("trainer", {
      userId: first.userId,
      sessionId,
      input: "Swap the second",
    }).result;
    expect(result.actions.map(({ tool, success }) => [tool, success]).slice(0, 2)).toEqual([
      ["swap_exercise", true],
      ["adjust_exercise", true],
    ]);
    const now = await currentWorkout(place.store.read(sessionId));
    expect(now?.exercises).toMatchObject([
      { exercise_name: "Dumbbell bench press", rest_sec: 120, order: 1 },
      { exercise_name: "Cable fly", order: 2 },
    ]);
  });
});

describe("X2 11.3 the console", () => {
  it("O3 has a line for each event, and the totals at the end of a run", async () => {
    const place = await embeddedPlace();
    const lines: string[] = [];
    const store = withSessionLog(place.store, { print: (line) => lines.push(line) });
    const made = await world({ place: { ...place, store }, script: [workout(), notify(), idle] });
    const { sessionId } = (await (await made.ask("/chat", { json: { message: "Chest" } })).json()) as {
      sessionId: string;
    };
    const count = (await made.log(sessionId)).length;
    await until(() => lines.length > count);
    expect(lines.every((line) => line.includes(`[${sessionId.slice(0, 8)}]`))).toBe(true);
    expect(lines.at(-1)).toMatch(/Σ [\d,]+ tokens \([\d,]+ cached, \d+ % of the prompts\) · \$0\.\d{4}$/);
    const has = (pattern: RegExp) => lines.some((line) => pattern.test(line.slice(24)));
    for (const pattern of [
      /^👤 User: "Chest"$/,
      /^📤 LLM Request → \S+ est\. \d+\.\dK tokens$/,
      /^📥 LLM Response ← \(empty\) \S+ tokens \(\S+ cached\) \| \$0\.\d{4} \| \d+ms$/,
      /^🔧 Tool Call → generate_workout \{"workout":.*…$/,
      /^🔧 Tool Result ← generate_workout: ✓ \d+ms$/,
      /^📦 Artifact ← \S+ ".+"$/,
      /^▫️ Run Started /,
    ])
      expect(has(pattern), `${pattern} in\n${lines.join("\n")}`).toBe(true);
  });
});
