import { expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { memoryStore, PawlError, type Schema, tool } from "../../src/index.ts";
import type { NewEvent } from "../../src/store.ts";
import { setup, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { echoTool } from "../support/tools.ts";

const done = { text: "Done." };

it("R2 C12 a message after a stop gets its run, also if results are stored behind it that came before the stop", async () => {
  const inner = memoryStore();
  const control = new AbortController();
  let comes = true;
  const store = beforeAppend(inner, async (events, sessionId) => {
    if (!comes || !has(events, "tool_result")) return;
    comes = false;
    control.abort();
    const message: NewEvent = { type: "user_message", data: { message: "Something else.", queued: true } };
    await inner.append(sessionId, [message], { appendId: "other" });
  });
  const script = [{ tools: [{ name: "echo", input: { text: "a" } }] }, done];
  const { say, log, of, model } = setup(script, { tools: [echoTool], whenBusy: "queue" }, { store });
  const { sessionId, stop } = await say("Go", { signal: control.signal });
  expect(stop.type).toBe("aborted");
  await expect.poll(async () => (await of(sessionId, "run_ended")).length).toBe(2);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Something else.");
  assertSoundLog(await log(sessionId));
});

it("R2 P4 an answer is stored and its request settles, even if the run that it continues is interrupted", async () => {
  const isDown = { now: false };
  const input = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => {
        if (isDown.now) throw new PawlError("store_unavailable", "The cupboard is locked.");
        return { value };
      },
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  } as unknown as Schema<unknown>;
  const answerSchema = {
    ...input,
    "~standard": { ...input["~standard"], validate: (value: unknown) => ({ value }) },
  };
  const ask = tool({
    name: "ask",
    description: "",
    input,
    suspends: { answer: answerSchema as Schema<unknown> },
    execute: () => "ok",
  });
  const { pawl, say, of } = setup([{ tools: [{ name: "ask", id: "toolu_q" }] }, done], { tools: [ask] });
  const { sessionId } = await say("Go");
  isDown.now = true;
  const run = pawl.run("tester", { ...user, sessionId, answers: [{ callId: "toolu_q", value: "yes" }] });
  await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await of(sessionId, "tool_answered")).toHaveLength(1);
});
