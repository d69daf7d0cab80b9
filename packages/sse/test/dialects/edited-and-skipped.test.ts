import type { Hook } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { bodies, type Frame, framesOf } from "../support/frames.ts";
import { look, serve } from "../support/served.ts";

/** Changes the input of the first call, with `shown`, and answers the second one in the tool's place. */
const hookWith = (shown: boolean | undefined): Hook => ({
  name: "hook",
  beforeTool: ({ callId }) =>
    callId === "c2"
      ? { result: { later: true }, skipped: "gated" }
      : { input: { what: "dogs" }, ...(shown !== undefined && { shown }) },
});

const calls = ["c1", "c2"].map((id) => ({ name: "look", id, input: { what: "cats" } }));

const facts = { begun: new Map(), spent: new Map(), failed: new Set<string>() };

async function askedIn(dialect: Dialect, json: object, shown?: boolean) {
  const model = strictModel({ script: [{ tools: calls }, { text: "Done." }] });
  const served = await serve(model, { dialect, tools: [look], hooks: [hookWith(shown)] });
  return { served, ...(await framesOf(served, json)) };
}

const has = (frames: readonly unknown[], word: string) => JSON.stringify(frames).includes(word);

describe("an input that a hook has changed, and a skipped call", () => {
  it("H3 are the input and an error in the AI SDK, live and in a reload", async () => {
    const { served, sessionId, frames } = await askedIn(aiSdk(), bodies.aiSdk, true);
    const inputs = frames.filter(({ type }) => type === "tool-input-available");
    expect(inputs.map(({ toolCallId, input }) => [toolCallId, input])).toEqual(
      expect.arrayContaining([
        ["c1", { what: "dogs" }],
        ["c2", { what: "cats" }],
      ]),
    );
    expect(frames).toContainEqual(
      expect.objectContaining({ type: "tool-output-error", toolCallId: "c2", errorText: '{"later":true}' }),
    );
    expect(frames.filter(({ type }) => type === "tool-output-available").length).toBe(1);
    const view = await served.runtime.view(sessionId, { userId: "ada" });
    const stored = aiSdk().history?.(view, sessionId, facts) as { messages: { parts: Frame[] }[] };
    const parts = stored.messages.flatMap((one) => one.parts).filter(({ toolCallId }) => toolCallId);
    expect(parts).toMatchObject([
      { toolCallId: "c1", state: "output-available", input: { what: "dogs" } },
      { toolCallId: "c2", state: "output-error", errorText: '{"later":true}' },
    ]);
  });

  it("H3 are custom events in AG-UI, and the input of the call in a reload", async () => {
    const { served, sessionId, frames } = await askedIn(agUi(), bodies.agUi, true);
    const custom = frames.filter(({ type, name }) => type === "CUSTOM" && name !== "tool_status");
    expect(custom.map(({ name, value }) => [name, value])).toEqual(
      expect.arrayContaining([
        ["tool_input", { toolCallId: "c1", toolName: "look", input: { what: "dogs" } }],
        ["tool_skipped", { toolCallId: "c2", toolName: "look", reason: "gated" }],
      ]),
    );
    const view = await served.runtime.view(sessionId, { userId: "ada" });
    expect(JSON.stringify(agUi().history?.(view, sessionId, facts))).toContain(
      '"arguments":"{\\"what\\":\\"dogs\\"}"',
    );
  });

  it("H3 are what an open page of AG-UI shows and runs its tools with, once it is known", async () => {
    const { frames } = await askedIn(agUi(), bodies.agUi, true);
    const whole = frames.filter(({ type }) => type === "MESSAGES_SNAPSHOT");
    expect(JSON.stringify(whole)).toContain(JSON.stringify('{"what":"dogs"}'));
  });

  it("H3 are in the events and in the view of a native client", async () => {
    const { served, sessionId, frames } = await askedIn(native(), { input: "Hi" }, true);
    expect(has(frames, '"input":{"what":"dogs"}')).toBe(true);
    expect(has(frames, '"phase":"skipped"')).toBe(true);
    const view = (await (await served.ask(`/sessions/${sessionId}`)).json()) as {
      messages: { parts: Frame[] }[];
    };
    expect(view.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "tool")).toMatchObject([
      { callId: "c1", phase: "done", input: { what: "dogs" }, arguments: { what: "cats" } },
      { callId: "c2", phase: "skipped" },
    ]);
  });

  it("H3 are no success in the plain dialects, which name the input that ran", async () => {
    const inMetrics = (await askedIn(metrics(), bodies.plain, true)).frames;
    expect(inMetrics.filter(({ type }) => type === "metric")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ callId: "c1", arguments: { what: "dogs" }, status: "success" }),
        expect.objectContaining({ callId: "c2", arguments: { what: "cats" }, status: "skipped" }),
      ]),
    );
    const inTrainer = (await askedIn(trainer(), bodies.plain, true)).frames;
    expect(inTrainer).toContainEqual({ type: "look", data: { status: "running", args: { what: "dogs" } } });
    expect(inTrainer).toContainEqual(expect.objectContaining({ type: "look", status: "failed" }));
    const inAsp = (await askedIn(asp(), bodies.plain, true)).frames;
    expect(inAsp).toContainEqual({ type: "tool", tool_use_id: "c1", name: "look", input: { what: "cats" } });
    expect(inAsp).toContainEqual({ type: "tool_input", tool_use_id: "c1", input: { what: "dogs" } });
    expect(inAsp).toContainEqual(
      expect.objectContaining({ tool_use_id: "c2", is_error: true, skipped: "gated" }),
    );
    expect(inAsp.filter(({ is_error }) => is_error).length).toBe(1);
  });

  it.each([
    ["native", native(), { input: "Hi" }],
    ["AI SDK", aiSdk(), bodies.aiSdk],
    ["AG-UI", agUi(), bodies.agUi],
    ["ASP", asp(), bodies.plain],
    ["trainer", trainer(), bodies.plain],
    ["metrics", metrics(), bodies.plain],
  ] as const)("H3 hide an input that is not for pages: %s", async (_name, dialect, json) => {
    for (const shown of [undefined, false]) {
      const { frames } = await askedIn(dialect, json, shown);
      // The result names it.
      const inputs = JSON.stringify(frames).replaceAll("found dogs", "");
      expect(inputs).not.toContain("dogs");
      expect(inputs).not.toContain("input_for");
    }
  });
});
