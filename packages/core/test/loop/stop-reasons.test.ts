import { currentModels, type ModelLimits, type Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { rebuild } from "../../../../test/support/rebuild.ts";
import { type ContentBlock, memoryStore } from "../../src/index.ts";
import { setup } from "../support/setup.ts";
import { failingStore, has } from "../support/stores.ts";
import { echoTool } from "../support/tools.ts";

/** What an answer is made of, and the number of events after which a cut takes it in its last block. */
const contents = {
  "text only": { reply: { text: "Hello." }, cut: 4, said: ["text"] },
  "a complete call": {
    reply: { text: "So:", tools: [{ name: "echo", id: "toolu_1", input: { text: "x" } }] },
    cut: 10,
    said: ["text"],
  },
  "a clipped call": {
    reply: { text: "So:", tools: [{ name: "echo", id: "toolu_1", input: { text: "a long text" } }], clip: 8 },
    cut: 8,
    said: ["text"],
  },
  "thinking and text": { reply: { thinking: "Hm.", text: "Hello." }, cut: 7, said: ["thinking", "text"] },
} satisfies { [content: string]: { reply: Reply; cut: number; said: string[] } };

interface End {
  stop: string;
  /** The code of the error that is logged. */
  error?: string;
  disposition: "kept" | "partial" | "discarded";
  /** The kinds of blocks of the answer in the next request, when not the `said` of its content. */
  sent?: string[];
  /** Whether the model is asked again in the same run. */
  goesOn?: true;
}

const failed = (error: string): End => ({ stop: "error", error, disposition: "partial" });
const all = (end: End) => Object.fromEntries(Object.keys(contents).map((content) => [content, end]));
const goesOn: End = { stop: "end_turn", disposition: "kept", goesOn: true };

const table: { [stop: string]: { [content: string]: End } } = {
  end_turn: {
    ...all({ stop: "end_turn", disposition: "kept" }),
    "a complete call": { stop: "end_turn", disposition: "partial" },
    "a clipped call": { stop: "end_turn", disposition: "partial" },
  },
  tool_use: {
    ...all(failed("contract_violation")),
    "a complete call": { ...goesOn, sent: ["text", "tool_use"] },
  },
  max_tokens: all({ stop: "max_tokens", disposition: "partial" }),
  stop_sequence: all({ stop: "end_turn", disposition: "partial" }),
  refusal: all({ stop: "refusal", disposition: "discarded", sent: [] }),
  pause_turn: {
    ...all(goesOn),
    "a complete call": failed("contract_violation"),
    "a clipped call": failed("contract_violation"),
  },
  model_context_window_exceeded: all({
    stop: "context_window",
    error: "context_window",
    disposition: "partial",
  }),
  some_future_reason: all(failed("unknown_stop_reason")),
  null: all(failed("model_error")),
  cut: all(failed("model_error")),
};

const rows = Object.entries(table).flatMap(([stop, ends]) =>
  Object.entries(ends).map(([content, end]) => ({ stop, content: content as keyof typeof contents, end })),
);

function replyOf(stop: string, content: keyof typeof contents): Reply {
  const { reply, cut } = contents[content];
  return stop === "cut" ? { ...reply, fault: { cut } } : { ...reply, stop: stop === "null" ? null : stop };
}

/** An answer that ends at the model's window has no error of its own. */
function causeOf(error: string | undefined): { cause?: string } {
  return error === undefined || error === "context_window" ? {} : { cause: expect.stringMatching(/\w/) };
}

/** What the runtime's `onError` gets of such a run. */
function reportedAt(error: string | undefined, stop: string, content: string): object[] {
  if (content.includes("call") && ["end_turn", "stop_sequence"].includes(stop))
    return [
      { code: "model_error", message: expect.stringContaining('with a call of "echo". It was not run.') },
    ];
  if (error === undefined || error === "context_window") return [];
  const details = error === "model_error" ? {} : { details: { type: error, retryable: false } };
  return [{ code: "model_error", message: expect.stringMatching(/^The model/), ...details }];
}

describe("every stop reason, with every kind of content", () => {
  it.each(rows)("L2 L8 L18 E3 U5 $stop with $content ends as $end.stop", async ({ stop, content, end }) => {
    const { stop: type, error, disposition, sent = contents[content].said } = end;
    const reported: unknown[] = [];
    const script = [replyOf(stop, content), ...(end.goesOn ? [{ text: "More." }] : []), { text: "Bye." }];
    const at = setup(script, { tools: [echoTool] }, { onError: (one) => reported.push(one) });
    const { sessionId, ...result } = await at.say("Go");
    expect(reported).toMatchObject(reportedAt(error, stop, content));
    const ran = sent.includes("tool_use");
    expect(result.stop).toEqual({ type, message: expect.stringMatching(/\w/), ...causeOf(error) });
    expect(result.actions).toHaveLength(ran ? 1 : 0);
    expect(await at.of(sessionId, "tool_started")).toHaveLength(ran ? 1 : 0);
    const errors = (await at.of(sessionId, "error")).map(({ data }) => data.code);
    expect(errors).toEqual(error === undefined ? [] : [error]);
    expect((await at.store.sessions.get(sessionId))?.status).toBe(error === undefined ? "active" : "error");
    const [answer] = await at.of(sessionId, "assistant_message");
    expect(answer?.data).toMatchObject({
      disposition,
      stop_reason: stop === "null" || stop === "cut" ? null : stop,
      content: content.includes("call") ? [{}, { type: "tool_use" }] : contents[content].said.map(() => ({})),
    });
    const { messages } = await at.pawl.view(sessionId, { userId: "u1" });
    const notice = messages.at(-1)?.parts.find((part) => part.type === "notice");
    expect(notice?.text).toBe(type === "end_turn" ? undefined : result.stop.message);

    expect((await at.say("And now?", { sessionId })).stop.type).toBe("end_turn");
    expect(at.model.rejected).toEqual([]);
    const last = at.model.requests.at(-1)?.messages ?? [];
    const answers = last.filter(({ role }) => role === "assistant");
    expect(answers.flatMap(({ content }) => (content as ContentBlock[]).map((block) => block.type))).toEqual([
      ...sent,
      ...(end.goesOn ? ["text"] : []),
    ]);
    expect(JSON.stringify(last).split("And now?")).toHaveLength(2);
    await rebuild(await at.log(sessionId));
  });

  it.each(rows.filter(({ end }) => end.error !== undefined && end.error !== "model_error"))(
    "L2 L18 U5 $stop with $content ends so, with one error, too if the process dies before it has said it",
    async ({ stop, content, end }) => {
      let clock = 0;
      let dead = false;
      const base = memoryStore({ now: () => clock });
      const store = failingStore(base, (events) => {
        dead ||= has(events, "run_ended");
        return dead;
      });
      // Asked before the end, so the answer is stored before it.
      const asked = { name: "asked", onStop: () => undefined };
      const at = setup([replyOf(stop, content)], { tools: [echoTool], hooks: [asked] }, { store });
      await expect(at.say("Go")).rejects.toThrow("down");
      clock += 60_000;
      const { id = "" } = (await base.sessions.list({ userId: "u1" }))[0] ?? {};
      const reported: unknown[] = [];
      const onError = (one: unknown) => reported.push(one);
      const next = setup([], { tools: [echoTool] }, { store: base, onError }, () => at.model);
      expect(await next.pawl.sweep()).toBe(1);
      for await (const _ of next.pawl.follow(id, { untilIdle: true }));
      expect((await next.of(id, "run_ended")).map(({ data }) => data.stop.type)).toEqual([end.stop]);
      expect((await next.of(id, "error")).map(({ data }) => data.code)).toEqual([end.error]);
      const atEnd = end.stop === "error" ? [{ message: expect.stringContaining("ended as an error") }] : [];
      expect(reported).toMatchObject(atEnd);
      expect(at.model.requests).toHaveLength(1);
    },
  );
});

it("L18 B1 a prompt whose instructions alone are too long for the model ends so", async () => {
  const known = currentModels["claude-sonnet-5-5"] as ModelLimits;
  const models = { "claude-sonnet-5-5": { ...known, contextTokens: 1_000 } };
  const at = setup({ script: [{ text: "Fine." }], models }, { instructions: "long ".repeat(2_000) });
  const { sessionId, stop } = await at.say("Hello");
  expect(stop).toEqual({
    type: "context_window",
    message: "This conversation has become too long. Please start a new one.",
    cause: expect.stringMatching(/^prompt is too long/),
  });
  expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual([
    "model_error",
    "context_window",
  ]);
});
