import { describe, expect, it } from "vitest";
import { ask, call, idle, notify, press, sent, workout, world } from "./support/world.ts";

interface Answer {
  sessionId: string;
  iterations: number;
  response: { messages: string[]; question: unknown; exercises: unknown };
  stop: { type: string; error: boolean };
}

const chat = async (made: Awaited<ReturnType<typeof world>>, message = "Hi", more: object = {}) => {
  const response = await made.ask("/chat", { json: { message, ...more } });
  return { status: response.status, answer: (await response.json()) as Answer };
};

describe("12.1 the loop", () => {
  it("X2 L15 takes a message and returns the session, the actions and the number of iterations", async () => {
    const made = await world({ script: [workout(), notify(), idle] });
    const result = await made.pawl.run("trainer", { userId: made.userId, input: "A chest workout" }).result;
    expect(result.sessionId).toMatch(/./);
    expect(result.actions.map(({ tool, success }) => [tool, success])).toEqual([
      ["generate_workout", true],
      ["message_notify_user", true],
      ["idle", true],
    ]);
    expect(result.turns).toBe(3);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 L11 ends when idle is called, and the session is completed", async () => {
    const made = await world({ script: [notify("Hello."), idle, notify("never")] });
    const { status, answer } = await chat(made);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      iterations: 2,
      response: { messages: ["Hello."] },
      stop: { error: false },
    });
    expect((await made.store.sessions.get(answer.sessionId))?.status).toBe("completed");
  });

  it("X2 L11 E3 ends when it asks the user; the session waits, and the reply continues it", async () => {
    const made = await world({ script: [ask(), notify("20 minutes it is."), idle] });
    const first = await chat(made, "A workout");
    expect(first.answer.response.question).toEqual({
      question: "How long?",
      options: ["20 minutes", "An hour"],
    });
    const { sessionId } = first.answer;
    expect((await made.store.sessions.get(sessionId))?.status).toBe("suspended");
    const [asked] = await made.of(sessionId, "tool_result");
    expect(asked?.data.result).toMatchObject({ success: true, awaiting_response: true });
    const second = await chat(made, "20 minutes");
    expect(second.answer.sessionId).toBe(sessionId);
    expect((await made.store.sessions.get(sessionId))?.status).toBe("completed");
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 L3 E3 ends after ten iterations, with an error that is logged and reported", async () => {
    const made = await world({ rules: (_, { n }) => notify(`Message ${n}`) });
    const { answer } = await chat(made);
    expect(answer).toMatchObject({ iterations: 10, stop: { type: "turn_limit", error: true } });
    const { sessionId } = answer;
    expect((await made.store.sessions.get(sessionId))?.status).toBe("error");
    expect((await made.of(sessionId, "error")).map(({ data }) => data.code)).toContain("turn_limit");
  });

  it("X2 L11 ends as an error if the answer contains no call", async () => {
    const made = await world({ rules: () => ({ text: "Just words." }), model: "claude-opus-5-5" });
    const { status, answer } = await chat(made);
    expect(status).toBe(502);
    expect((await made.store.sessions.get(answer.sessionId))?.status).toBe("error");
    expect((await made.of(answer.sessionId, "error")).map(({ data }) => data.code)).toContain("no_tool_call");
  });

  it("X2 L11 calls the model once per iteration and runs one tool, even if the model calls two", async () => {
    const two = { tools: [...(notify("One").tools ?? []), ...(notify("Two").tools ?? [])] };
    const made = await world({ script: [two, idle], model: "claude-opus-5-5" });
    const { answer } = await chat(made);
    expect(answer.response.messages).toEqual(["One"]);
    expect(await made.of(answer.sessionId, "llm_request")).toHaveLength(2);
    expect(await made.of(answer.sessionId, "tool_started")).toHaveLength(2);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 L11 forces one tool call at a time if the model supports that, and otherwise reminds it", async () => {
    const made = await world({ script: [notify(), idle] });
    await chat(made);
    const choice = { type: "any", disable_parallel_tool_use: true };
    expect(sent(made).map(({ tool_choice }) => tool_choice)).toEqual([choice, choice]);
    const newest = await world({
      script: [{ text: "Hm." }, notify("There."), idle],
      model: "claude-opus-5-5",
    });
    const { answer } = await chat(newest);
    expect(answer.response.messages).toEqual(["There."]);
    expect(newest.api.rejected).toEqual([]);
  });

  it("X2 L12 logs a failing model, and reports it to the client", async () => {
    const made = await world({
      rules: () => ({ fault: { status: 400, type: "invalid_request_error", message: "secret" } }) as never,
    });
    const { status, answer } = await chat(made);
    expect([status, answer.stop]).toMatchObject([502, { type: "error", error: true }]);
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect((await made.store.sessions.get(answer.sessionId))?.status).toBe("error");
    expect((await made.of(answer.sessionId, "error"))[0]?.data.code).toBe("model_error");
  });

  it("X2 L7 continues after a tool failed; the model and the log get the error", async () => {
    const wrong = call("swap_exercise", { exercise_id: "1", new_exercise: press() });
    const made = await world({ script: [wrong, notify("There is no workout yet."), idle] });
    const { answer } = await chat(made, "Swap the first one");
    expect(answer).toMatchObject({ iterations: 3, stop: { error: false } });
    const [failed] = await made.of(answer.sessionId, "tool_result");
    expect([failed?.data.success, failed?.data.result]).toEqual([
      false,
      expect.stringContaining("no active workout"),
    ]);
    expect(await made.of(answer.sessionId, "tool_started")).toHaveLength(3);
    expect(sent(made)[1]?.messages.at(-1)?.content[0]?.is_error).toBe(true);
  });

  it("X2 E3 continues a completed session only if a request names it", async () => {
    const made = await world({
      script: [notify("One."), idle, notify("Two."), idle, notify("Three."), idle],
    });
    const { sessionId } = (await chat(made)).answer;
    expect((await chat(made, "More", { sessionId })).answer.sessionId).toBe(sessionId);
    expect((await chat(made, "Something else")).answer.sessionId).not.toBe(sessionId);
  });
});
