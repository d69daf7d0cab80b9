import { type Hook, jsonSchema, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { bodies, type Frame, framesOf } from "../support/frames.ts";
import { serve } from "../support/served.ts";

const edit: Hook = {
  name: "edit",
  beforeTool: ({ input }) => ({ input: { ...(input as object), euros: 50 }, shown: true }),
};

/** Its result is the user's answer, and its question shows nothing of the input. */
const pay = tool({
  name: "pay",
  description: "Pays.",
  input: jsonSchema<{ euros: number }>({ type: "object" }),
  suspends: { answer: jsonSchema({}), payload: () => "Sure?" },
});

async function asked(dialect: Dialect, json: object) {
  const calls = [{ name: "pay", id: "c1", input: { euros: 500 } }];
  const model = strictModel({ script: [{ tools: calls }, { text: "Done." }, { text: "Fine." }] });
  const served = await serve(model, { dialect, tools: [pay], hooks: [edit] });
  const { sessionId, frames } = await framesOf(served, json);
  /** All that a page gets which answers the question. */
  const answer = async (body: object) => [...frames, ...(await framesOf(served, body)).frames];
  /** All that a page gets which connects again. */
  const again = async () => {
    const response = await served.ask(`/runs/${sessionId}/stream`);
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
    return lines.map((line) => JSON.parse(line.slice(6)) as Frame);
  };
  const view = () => served.runtime.view(sessionId, { userId: "ada" });
  return { served, sessionId, frames, answer, again, view };
}

const facts = { begun: new Map(), spent: new Map(), failed: new Set<string>() };
const inputsIn = (frames: readonly Frame[], type: string) =>
  frames.filter((frame) => frame.type === type).map(({ input }) => input);

describe("an input that a hook has changed before the tool asks, shown to pages", () => {
  it("H3 is an event of ASP while the question is open, and in a stream that comes again", async () => {
    const { sessionId, frames, answer, again } = await asked(asp(), bodies.plain);
    const edited = { type: "tool_input", tool_use_id: "c1", input: { euros: 50 } };
    expect(frames).toContainEqual(edited);
    await answer({ session_id: sessionId, tool_results: [{ tool_use_id: "c1", content: "Yes" }] });
    expect((await again()).filter(({ type }) => type === "tool_input")).toEqual([edited]);
  });

  it("H3 is a custom event of AG-UI, and the input in its snapshots and in a reload", async () => {
    const { frames, view } = await asked(agUi(), bodies.agUi);
    expect(frames).toContainEqual({
      type: "CUSTOM",
      name: "tool_input",
      value: { toolCallId: "c1", toolName: "pay", input: { euros: 50 } },
    });
    const edited = JSON.stringify('{"euros":50}');
    expect(JSON.stringify(frames.filter(({ type }) => type === "MESSAGES_SNAPSHOT"))).toContain(edited);
    expect(JSON.stringify(agUi().history?.(await view(), "s", facts))).toContain(edited);
  });

  it("H3 is the input of the AI SDK's part once the question is answered, live, again and in a reload", async () => {
    const { served, sessionId, again, view } = await asked(aiSdk(), bodies.aiSdk);
    const { pending } = await view();
    const answers = [{ callId: "c1", question: pending[0]?.seq ?? 0, value: "Yes" }];
    const [message] = (
      (await (await served.ask("/runs/c1")).json()) as { messages: { parts: Frame[] }[] }
    ).messages.slice(-1);
    const parts = message?.parts.map((part) =>
      part.toolCallId === "c1" ? { ...part, state: "output-available", output: answers[0]?.value } : part,
    );
    const sent = { ...message, parts };
    const { frames } = await framesOf(served, {
      ...bodies.aiSdk,
      messages: [...bodies.aiSdk.messages, sent],
    });
    expect(inputsIn(frames, "tool-input-available")).toEqual([{ euros: 50 }]);
    expect(inputsIn(await again(), "tool-input-available")).toEqual([{ euros: 50 }]);
    const stored = aiSdk().history?.(await view(), sessionId, facts);
    expect(JSON.stringify(stored)).toContain('"input":{"euros":50}');
  });

  it("H3 is in a native client's view, and in the record of metrics", async () => {
    const { served, sessionId } = await asked(native(), { input: "Hi" });
    const body = JSON.stringify(await (await served.ask(`/sessions/${sessionId}`)).json());
    expect(body).toContain('"input":{"euros":50}');
    const inMetrics = await asked(metrics(), bodies.plain);
    const yes = { answers: [{ callId: "c1", value: "Yes" }] };
    expect(await inMetrics.answer({ sessionId: inMetrics.sessionId, ...yes })).toContainEqual(
      expect.objectContaining({ type: "metric", callId: "c1", arguments: { euros: 50 } }),
    );
  });
});

describe("a call whose question a message closes", () => {
  const skipped = { answered: false, reason: "the user wrote a new message instead of answering." };

  it("P6 H3 is skipped in AG-UI, as a call that a hook skips", async () => {
    const { served } = await asked(agUi(), bodies.agUi);
    const messages = [{ id: "m2", role: "user", content: "Never mind" }];
    const { frames } = await framesOf(served, { ...bodies.agUi, runId: "r2", messages });
    const at = (found: (frame: Frame) => boolean) => frames.findIndex(found);
    const value = { toolCallId: "c1", toolName: "pay", reason: "closed" };
    expect(frames).toContainEqual({ type: "CUSTOM", name: "tool_skipped", value });
    expect(at(({ type }) => type === "TOOL_CALL_RESULT")).toBeLessThan(
      at(({ name }) => name === "tool_skipped"),
    );
  });

  it("P6 H3 gets its result in the plain dialects, before the new answer", async () => {
    const inAsp = await asked(asp(), bodies.plain);
    const more = { session_id: inAsp.sessionId, message: "Never mind" };
    const said = {
      type: "tool_result",
      tool_use_id: "c1",
      content: skipped,
      is_error: true,
      skipped: "closed",
    };
    expect((await framesOf(inAsp.served, more)).frames.slice(0, 2)).toEqual([{ type: "ack" }, said]);
    for (const dialect of [metrics(), trainer()]) {
      const { served, sessionId } = await asked(dialect, bodies.plain);
      const [first] = (await framesOf(served, { sessionId, message: "Never mind" })).frames;
      expect(first).toMatchObject(
        dialect.name === "metrics"
          ? { type: "metric", callId: "c1", status: "skipped", arguments: { euros: 50 } }
          : { type: "pay", status: "failed", data: skipped },
      );
    }
  });

  it("P6 H3 gets it once: a stream that comes again says nothing of it", async () => {
    const { served, sessionId, again } = await asked(asp(), bodies.plain);
    await framesOf(served, { session_id: sessionId, message: "Never mind" });
    expect((await again()).map(({ type }) => type)).toEqual(["ack", "text", "message_stop"]);
  });
});
