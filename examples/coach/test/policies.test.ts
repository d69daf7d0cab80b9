import { memoryFiles, memoryReservations, memoryStore, type StoredEvent } from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { coachRules, dailyBudgetTokens, readMarkdown, SUMMARIZE_ABOVE, userFiles } from "../src/index.ts";
import { coached, MORNING, ruledCoach, saving } from "./support/harness.ts";

const fine: Reply = { text: "Fine." };
const rules = coachRules({ speed: Number.POSITIVE_INFINITY });
const plan = (content: string): object => ({ file_type: "life-plan", content });
const ofType = (events: readonly StoredEvent[], type: string) =>
  events.filter((event) => event.type === type);

describe("the coach's model", () => {
  it("L12 is retried after a temporary failure", async () => {
    const { ask, model } = await ruledCoach(undefined, { script: [{ fault: { status: 529 } }, fine] });
    expect(await ask({ input: "Hi" })).toMatchObject({ text: "Fine.", stop: { type: "end_turn" } });
    expect(model.requests).toHaveLength(2);
  });

  it("L12 is replaced by the fallback when retries do not help", async () => {
    const fallback = strictModel({ rules });
    const script = [{ fault: { status: 404 } }];
    const { ask, log } = await ruledCoach(undefined, { script, fallback });
    const { text, sessionId } = await ask({ input: "I keep thinking of the garden" });
    expect(text).toContain("thinking of the garden");
    const [error] = ofType(await Array.fromAsync(log.read(sessionId)), "error");
    expect(error?.data).toMatchObject({ code: "model_error", context: { status: 404, will_retry: true } });
    expect(fallback.rejected).toEqual([]);
  });
});

describe("a run of the coach that reaches a limit", () => {
  it("L3 L4 ends with closing words from the coach", async () => {
    let n = 0;
    const model = strictModel({
      rules: (request, context) =>
        request.tool_choice?.type === "none"
          ? rules(request, context)
          : { tools: [{ name: "save_file", input: { file_type: "capture", content: `Thought ${n++}` } }] },
    });
    const { ask } = coached(model, { files: memoryFiles() });
    const { stop, text, turns } = await ask({ input: "Go" });
    expect({ type: stop.type, turns }).toEqual({ type: "turn_limit", turns: 5 });
    expect(text).toContain("continue from here");
    expect(model.rejected).toEqual([]);
  });
});

describe("a life plan", () => {
  it("P1 is saved the first time without a question", async () => {
    const { ask } = await ruledCoach(undefined, { script: saving(plan("Write the book.")) });
    const { actions, pending } = await ask({ input: "Go" });
    expect(pending).toEqual([]);
    expect(actions).toMatchObject([{ success: true, result: { path: "life-map/life-plan.md" } }]);
  });

  const replaced = async (approved: boolean, replies: readonly Reply[]) => {
    const files = memoryFiles();
    const old = userFiles(files, "ada");
    await old.put("life-map/life-plan.md", "Write the book.");
    const made = await ruledCoach(undefined, { files, script: replies });
    const { sessionId, pending } = await made.ask({ input: "A new plan, please" });
    const before = (await readMarkdown(old, "life-map/life-plan.md"))?.body;
    const answers = [{ callId: pending[0]?.callId ?? "", value: { approved } }];
    const result = await made.ask({ sessionId, answers });
    return { pending, before, result, after: (await readMarkdown(old, "life-map/life-plan.md"))?.body };
  };

  it("P1 is replaced once the user agrees, if there already is one", async () => {
    const { pending, before, after } = await replaced(true, saving(plan("Rest first.")));
    expect(pending).toMatchObject([
      { kind: "approval", payload: { tool: "save_file", input: plan("Rest first.") } },
    ]);
    expect({ before, after }).toEqual({ before: "Write the book.", after: "Rest first." });
  });

  it("P1 stays as it is when the user does not agree", async () => {
    const { result, after } = await replaced(false, saving(plan("Rest first.")));
    expect(result.actions).toMatchObject([{ tool: "save_file", success: false }]);
    expect(after).toBe("Write the book.");
  });

  it("P1 asks in the middle of a life mapping, saves the other files, and continues the conversation", async () => {
    const files = memoryFiles();
    await userFiles(files, "ada").put("life-map/life-plan.md", "Write the book.");
    const { ask, model } = await ruledCoach(undefined, { files });
    const first = await ask({ input: "Hello", metadata: { type: "life_mapping" } });
    const { sessionId } = first;
    const skipped = [{ callId: first.pending[0]?.callId ?? "", value: { skipped: true } }];
    await ask({ sessionId, answers: skipped });
    const asked = await ask({ sessionId, input: "My work is fine, my friends are far away" });
    expect(asked.pending).toMatchObject([{ kind: "approval", toolName: "save_file" }]);
    const no = [{ callId: asked.pending[0]?.callId ?? "", value: { approved: false } }];
    const { text } = await ask({ sessionId, answers: no });
    expect(text).toContain("your life plan stays as it is");
    const own = userFiles(files, "ada");
    expect(await readMarkdown(own, "life-map/overview.md")).toBeDefined();
    expect((await readMarkdown(own, "life-map/life-plan.md"))?.body).toBe("Write the book.");
    expect(model.rejected).toEqual([]);
  });
});

describe("a message that arrives while the coach answers", () => {
  it("L1 is read at the next turn and answered in the same run", async () => {
    const gate = Promise.withResolvers<void>();
    const model = strictModel({
      rules: async (request, context) => {
        if (context.n === 0) await gate.promise;
        return rules(request, context);
      },
    });
    const log = memoryStore();
    const { ask, pawl } = coached(model, { files: memoryFiles(), log });
    const first = pawl.run("coach", { userId: "ada", input: "I keep thinking of the garden" });
    const { sessionId } = await first.started;
    await expect.poll(() => model.requests).toHaveLength(1);
    const second = pawl.run("coach", { userId: "ada", sessionId, input: "And of the roof" });
    await second.started;
    gate.resolve();
    await Promise.all([first.result, second.result]);
    expect((await second.result).text).toContain("And of the roof");
    expect(ofType(await Array.fromAsync(log.read(sessionId)), "run_started")).toHaveLength(1);
    expect((await ask({ sessionId, input: "Thanks, bye" })).stop.type).toBe("end_turn");
  });
});

describe("a long conversation with the coach", () => {
  it("C13 continues from a summary of its older part", async () => {
    const { ask, log, model } = await ruledCoach();
    const { sessionId } = await ask({ input: "I keep thinking of the garden" });
    for (const what of ["roof", "cellar", "kitchen"]) await ask({ sessionId, input: `And of the ${what}` });
    await ask({ sessionId, input: `And of this: ${"a long story ".repeat(SUMMARIZE_ABOVE / 3)}` });
    for (const what of ["fence", "gate", "path", "tree"])
      await ask({ sessionId, input: `And of the ${what}` });
    const { text } = await ask({ sessionId, input: "And of the well" });
    expect(text).toContain("And of the well");
    const checkpoints = ofType(await Array.fromAsync(log.read(sessionId)), "checkpoint");
    expect(checkpoints.map(({ data }) => data)).toMatchObject([{ reason: "summary" }]);
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).toContain("What the person has said so far");
    expect(sent.length).toBeLessThan(SUMMARIZE_ABOVE);
    expect(model.rejected).toEqual([]);
  });
});

describe("a user's budget for the day", () => {
  const account = `ada/${new Date(MORNING).toISOString().slice(0, 10)}`;

  it("E10 ends a run that does not fit before the model is called", async () => {
    const reservations = memoryReservations();
    const { day } = dailyBudgetTokens;
    await reservations.reserve({ account, id: "other", amount: day, limit: day });
    const { ask, model } = await ruledCoach(undefined, { reservations, script: [fine] });
    const { stop } = await ask({ input: "Hi" });
    expect(stop).toMatchObject({ type: "quota_exceeded", message: expect.stringContaining("tomorrow") });
    expect(model.requests).toEqual([]);
    expect((await ask({ input: "Hi", userId: "bob" })).text).toBe("Fine.");
  });

  it("E10 is charged with the actual use of a run, and the rest is returned", async () => {
    const reservations = memoryReservations();
    const { ask } = await ruledCoach(undefined, { reservations, script: [fine] });
    const { usage } = await ask({ input: "Hi" });
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const used = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
    expect(await reservations.balance(account)).toEqual({ used, held: 0 });
  });
});
