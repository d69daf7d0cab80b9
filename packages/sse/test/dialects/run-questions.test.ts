import { type Hook, jsonSchema } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { look, serve } from "../support/served.ts";

/** Asks how deep to search before the run begins. */
const clarify: Hook = {
  name: "clarify",
  beforeRun: ({ answer }) =>
    answer === undefined
      ? {
          ask: {
            kind: "choice",
            payload: { question: "How deep?" },
            answer: jsonSchema({
              type: "object",
              properties: { depth: { type: "string" } },
              required: ["depth"],
            }),
          },
        }
      : undefined,
};

type Frame = { readonly [field: string]: unknown };

interface Spoken {
  dialect: Dialect;
  message: object;
  /** What the stream has once the run has answered. Default: the answer's text. */
  last?: string;
  /** The body of the request that answers. */
  answer(asked: { callId: string; frames: readonly Frame[]; sessionId: string }): object;
}

const depth = { depth: "deep" };
const plain = (fields: { session: string; answers: string; call: string; value: string }) => ({
  message: { message: "Hi" },
  answer: ({ callId, sessionId }: { callId: string; sessionId: string }) => ({
    [fields.session]: sessionId,
    [fields.answers]: [{ [fields.call]: callId, [fields.value]: depth }],
  }),
});
const session = "sessionId";

const spoken: { [name: string]: Spoken } = {
  native: {
    dialect: native(),
    message: { input: "Hi" },
    answer: ({ callId, sessionId }) => ({ sessionId, answers: [{ callId, value: depth }] }),
  },
  "AI SDK": {
    dialect: aiSdk(),
    message: {
      id: "c1",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    },
    answer: ({ callId }) => ({
      id: "c1",
      trigger: "submit-message",
      messages: [
        { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] },
        {
          id: "m2",
          role: "assistant",
          parts: [
            { type: "tool-clarify", toolCallId: callId, state: "output-available", input: {}, output: depth },
          ],
        },
      ],
    }),
  },
  "AG-UI": {
    dialect: agUi(),
    message: {
      threadId: "c1",
      runId: "r1",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Hi" }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
    answer: ({ frames }) => {
      const { outcome } = frames.at(-1) as { outcome: { interrupts: { id: string }[] } };
      return {
        threadId: "c1",
        runId: "r2",
        state: {},
        messages: [{ id: "m1", role: "user", content: "Hi" }],
        tools: [],
        context: [],
        forwardedProps: {},
        resume: [{ interruptId: outcome.interrupts[0]?.id, status: "resolved", payload: depth }],
      };
    },
  },
  metrics: { dialect: metrics(), ...plain({ session, answers: "answers", call: "callId", value: "value" }) },
  trainer: {
    dialect: trainer(),
    // This dialect sends no text of the model.
    last: '"type":"done"',
    ...plain({ session, answers: "answers", call: "callId", value: "value" }),
  },
  ASP: {
    dialect: asp(),
    ...plain({ session: "session_id", answers: "tool_results", call: "tool_use_id", value: "content" }),
  },
};

async function framesOf(response: Response): Promise<Frame[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = "{}"]) => JSON.parse(json));
}

describe("F20 a hook's question about the run", () => {
  it.each(Object.entries(spoken))(
    "is shown and answered in %s, and the run goes on",
    async (_, { dialect, message, answer, last = "Found it." }) => {
      const model = strictModel({ script: [{ text: "Found it." }] });
      const at = await serve(model, { dialect, tools: [look], hooks: [clarify] });
      const asking = await at.ask("/runs", { method: "POST", json: message });
      expect(asking.status).toBe(200);
      const sessionId = decodeURIComponent(asking.headers.get("x-pawl-session") ?? "");
      const frames = await framesOf(asking);
      expect(JSON.stringify(frames)).toContain("How deep?");
      const { pending } = await at.runtime.view(sessionId, { userId: "ada" });
      const { callId = "" } = pending[0] ?? {};
      const answered = await at.ask("/runs", { method: "POST", json: answer({ callId, frames, sessionId }) });
      const rest = JSON.stringify(await framesOf(answered));
      expect({ status: answered.status, found: rest.includes(last) }).toEqual({
        status: 200,
        found: true,
      });
      expect((await at.runtime.view(sessionId, { userId: "ada" })).pending).toEqual([]);
    },
  );
});
