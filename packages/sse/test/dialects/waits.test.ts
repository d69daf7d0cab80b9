import { jsonSchema, type ToolContext, tool } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../src/index.ts";
import { confirm, serve } from "../support/served.ts";

/** Waits so often, then returns. */
const job = (times: number) =>
  tool({
    name: "job",
    description: "Does a job elsewhere.",
    input: jsonSchema({ type: "object" }),
    status: { start: "Working", done: "Worked" },
    execute: (_, { answered, wait }: ToolContext) =>
      (answered?.questions ?? 0) < times ? wait({ afterMs: 30, state: "SECRET" }) : "done",
  });

type Frame = { readonly [field: string]: unknown };

const message = { message: "Hi" };
const dialects: { [name: string]: { dialect: Dialect; json: object } } = {
  "AI SDK": {
    dialect: aiSdk(),
    json: {
      id: "c1",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    },
  },
  "AG-UI": {
    dialect: agUi(),
    json: {
      threadId: "t1",
      runId: "r1",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Hi" }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  },
  coach: { dialect: coach(), json: message },
  trainer: { dialect: trainer(), json: message },
  "ASP v2": { dialect: asp(), json: message },
  metrics: { dialect: metrics(), json: message },
};

const framesOf = (text: string): Frame[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Frame);

async function answered(dialect: Dialect, json: object, times: number) {
  const model = strictModel({
    script: [{ tools: [{ name: "job", id: "c1" }] }, { text: "All done." }],
  });
  const served = await serve(model, { dialect, tools: [job(times), confirm] });
  const response = await served.ask("/runs", { json });
  const text = await response.text();
  expect(served.errors).toEqual([]);
  const sessionId = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
  return { served, sessionId, text, frames: framesOf(text) };
}

describe("a call that waits for a time", () => {
  it.each(Object.entries(dialects))(
    "F26 is sent as one that takes a while, in one stream: %s",
    async (_name, { dialect, json }) => {
      const [quick, waiting] = [await answered(dialect, json, 0), await answered(dialect, json, 3)];
      // One text may come in one frame or in several.
      const types = (frames: readonly Frame[]) =>
        frames.map(({ type, event }) => type ?? event).filter((type, at, all) => type !== all[at - 1]);
      expect(types(waiting.frames)).toEqual(types(quick.frames));
      expect(waiting.text).toContain("done");
      expect(waiting.text).not.toContain("SECRET");
      const log = await Array.fromAsync(waiting.served.store.read(waiting.sessionId));
      expect(log.filter(({ type }) => type === "run_suspended")).toHaveLength(3);
    },
  );

  it("F26 is shown as running by the native dialect, and a client's answer is refused", async () => {
    const { frames, served, sessionId, text } = await answered(native(), { input: "Hi" }, 2);
    expect(text).not.toContain("SECRET");
    let view = newView();
    for (const event of frames) {
      view = reduceView(view, event as never);
      expect(view.pending).toEqual([]);
      if (event.type === "run_suspended") {
        expect(view.run?.open).toBe(true);
        expect(view.runningTools).toEqual({ c1: "job" });
        expect(view.messages[1]?.parts).toMatchObject([{ type: "tool", phase: "running" }]);
      }
    }
    expect(view.messages[1]?.text).toBe("All done.");
    const answers = [{ callId: "c1", value: null }];
    const refused = await served.ask("/runs", { json: { sessionId, answers } });
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  it("F26 a question that expires says when, and what it gets, and is answered with that", async () => {
    const asks = tool({
      name: "asks",
      description: "Asks.",
      input: jsonSchema({ type: "object" }),
      suspends: {
        answer: jsonSchema({ type: "object", required: ["yes"] }),
        expires: { afterMs: 150, default: { yes: false } },
      },
    });
    for (const dialect of [native(), agUi()]) {
      const script = [{ tools: [{ name: "asks", id: "c1" }] }, { text: "Then not." }];
      const served = await serve(strictModel({ script }), { dialect, tools: [asks] });
      const json = dialect.name === "native" ? { input: "Hi" } : (dialects["AG-UI"]?.json ?? {});
      const response = await served.ask("/runs", { json });
      const frames = framesOf(await response.text());
      const sessionId = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
      const { pending } = await served.runtime.view(sessionId, { userId: "ada" });
      const expires = pending[0]?.expires;
      expect(expires).toMatchObject({ default: { yes: false } });
      if (dialect.name !== "native")
        expect(frames.at(-1)).toMatchObject({
          outcome: { interrupts: [{ metadata: { expiresAt: expires?.at } }] },
        });
      await expect.poll(async () => (await served.store.sessions.get(sessionId))?.openRun).toBeNull();
      const { messages } = await served.runtime.view(sessionId, { userId: "ada" });
      expect(messages[1]?.text).toBe("Then not.");
      expect(messages[1]?.parts[0]).toMatchObject({ phase: "done", result: { yes: false } });
    }
  });
});
