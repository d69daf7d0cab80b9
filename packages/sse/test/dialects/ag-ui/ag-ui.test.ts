import { approval, PawlError, withRetry } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { httpAgent, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

const lookAt = (what: string) => ({ tools: [{ id: `look-${what}`, name: "look", input: { what } }] });
const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
const askAgain = { tools: [{ id: "c2", name: "confirm", input: { question: "Really?" } }] };
const dialect = agUi();
const lastOf = (events: { type: string }[]) => events.at(-1) as { type: string } & Record<string, unknown>;

describe.each(["0.0.59", "1.0"] as const)("W2 HttpAgent of AG-UI %s", (version) => {
  it("shows thinking, text and tools as messages, and sums usage up as totals", async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3 };
    const script = [
      { thinking: "Hm.", text: "One moment.", ...lookAt("it"), usage },
      { text: "Found.", usage },
      { text: "Twice." },
    ];
    const served = await serve(scriptedModel(script), { dialect });
    const agent = httpAgent(version, served);
    const events = await say(agent, "Look");
    expect(talk(agent)).toEqual([
      "user Look",
      "reasoning Hm.",
      'assistant One moment. look({"what":"it"})',
      "tool found it",
      "assistant Found.",
    ]);
    expect(lastOf(events)).toMatchObject({
      type: "RUN_FINISHED",
      usage: [{ inputTokens: 30, cachedInputTokens: 10, outputTokens: 6, totalTokens: 36 }],
    });
    await say(agent, "Again");
    expect(talk(agent).slice(-2)).toEqual(["user Again", "assistant Twice."]);
    expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
    const kept = (await (await served.ask(`/runs/${agent.threadId}`)).json()) as { messages: unknown };
    expect(kept.messages).toEqual(JSON.parse(JSON.stringify(agent.messages)));
  });

  it("P1 P2 interrupts for a question, and continues when it is resumed", async () => {
    const served = await serve(scriptedModel([ask, { text: "Done." }]), { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Do it");
    const [question] = agent.pendingInterrupts;
    expect(question).toMatchObject({
      reason: "input_required",
      toolCallId: "c1",
      metadata: { kind: "confirm", payload: { question: "Sure?" } },
      responseSchema: { required: ["yes"] },
    });
    const resume = [{ interruptId: question?.id, status: "resolved", payload: { yes: true } }];
    await run(agent, { resume });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(talk(agent)).toEqual([
      "user Do it",
      'assistant May I? confirm({"question":"Sure?"})',
      'tool {"yes":true}',
      "assistant Done.",
    ]);
  });

  it.each([true, false])("asks for approval, answered with %s", async (approved) => {
    const hooks = [approval({ when: ["look"] })];
    const served = await serve(scriptedModel([lookAt("x"), { text: "Then so." }]), { dialect, hooks });
    const agent = httpAgent(version, served);
    await say(agent, "Look");
    const [question] = agent.pendingInterrupts;
    expect(question).toMatchObject({ reason: "confirmation", metadata: { payload: { tool: "look" } } });
    await run(agent, { resume: [{ interruptId: question?.id, status: "resolved", payload: { approved } }] });
    expect(talk(agent).slice(-2)).toEqual([
      `tool ${approved ? "found x" : "This did not work."}`,
      "assistant Then so.",
    ]);
  });

  it("refuses a partial, an unknown, a repeated and a misshapen resume with RUN_ERROR", async () => {
    const two = [...ask.tools, ...askAgain.tools];
    const served = await serve(scriptedModel([{ tools: two }, { text: "Done." }]), { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Do it");
    const open = agent.pendingInterrupts.map(({ id }) => id);
    const answer = (interruptId: string | undefined, payload: unknown = { yes: true }) => ({
      interruptId,
      status: "resolved",
      payload,
    });
    const send = async (resume: object[] | undefined, messages: object[] = agent.messages) => {
      const json = {
        threadId: agent.threadId,
        runId: "r",
        messages,
        tools: [],
        context: [],
        ...(resume && { resume }),
      };
      const response = await served.ask("/runs", { json });
      expect(response.status).toBe(200);
      return await response.text();
    };
    expect(await send([answer(open[0])])).toContain('"code":"unknown_call"');
    expect(await send([answer(open[0]), answer("q99")])).toContain('"code":"unknown_call"');
    expect(await send([answer(open[0]), answer(open[1], { no: 1 })])).toContain('"code":"invalid_answer"');
    const all = open.map((id) => answer(id));
    expect(await send(all)).toContain('"RUN_FINISHED"');
    expect(await send(all)).toContain('"RUN_FINISHED"');
    const no = open.map((id) => answer(id, { yes: false }));
    expect(await send(no)).toContain('"code":"already_answered"');
    expect(served.errors).toEqual([]);
  });

  it("accepts an answer as a tool message too, and counts it once if it is sent in both ways", async () => {
    const model = scriptedModel([ask, { text: "Done." }, askAgain, { text: "Again." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Do it");
    const [question] = agent.pendingInterrupts;
    agent.addMessage({ id: "mine", role: "tool", toolCallId: "c1", content: '{"yes":true}' });
    await run(agent, { resume: [{ interruptId: question?.id, status: "resolved", payload: { yes: true } }] });
    expect(agent.messages.at(-1)?.content).toBe("Done.");
    expect(model.requests).toHaveLength(2);
    agent.pendingInterrupts = [];
    await say(agent, "Once more");
    agent.pendingInterrupts = [];
    agent.addMessage({ id: "mine2", role: "tool", toolCallId: "c2", content: '{"yes":false}' });
    await run(agent);
    expect(agent.messages.at(-1)?.content).toBe("Again.");
  });

  it("P6 cancelling closes the questions; a message that is sent with it is answered instead", async () => {
    const served = await serve(scriptedModel([ask, askAgain, { text: "As you like." }]), { dialect });
    const agent = httpAgent(version, served);
    const cancelled = () =>
      agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
    await say(agent, "Do it");
    const events = await run(agent, { resume: cancelled() });
    expect(lastOf(events)).toMatchObject({
      type: "RUN_FINISHED",
      ...(version === "1.0" && { outcome: { type: "cancelled" } }),
    });
    await say(agent, "Do it");
    await say(agent, "Something else", { resume: cancelled() });
    expect(agent.messages.at(-1)?.content).toBe("As you like.");
  });

  it("removes the text of a failed attempt", async () => {
    const model = handModel();
    const served = await serve(withRetry(model, { sleep: async () => undefined }), { dialect });
    const agent = httpAgent(version, served);
    const saying = say(agent, "Hi");
    const turn = await model.turn();
    turn.say("Half of");
    await eventually(() => talk(agent).at(-1) === "assistant Half of");
    turn.fail(new PawlError("model_error", "SECRET-HOST is overloaded", { details: { retryable: true } }));
    const next = await model.turn();
    next.say("Whole.");
    await eventually(() => talk(agent).join() === "user Hi,assistant Whole.");
    next.end();
    await saying;
    expect(talk(agent)).toEqual(["user Hi", "assistant Whole."]);
  });

  it("W5 reports a failure with the message for users, and the thread continues", async () => {
    expectPrinted("pawl: SECRET-HOST refused");
    const model = handModel();
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    const saying = say(agent, "Hi").catch((error: unknown) => error);
    const turn = await model.turn();
    turn.say("Well");
    turn.fail(new Error("SECRET-HOST refused"));
    const failure = await saying;
    expect(JSON.stringify([failure, String(failure)])).not.toContain("SECRET");
    const retry = say(agent, "Again");
    const next = await model.turn();
    next.say("Yes.");
    next.end();
    await retry;
    expect(agent.messages.at(-1)?.content).toBe("Yes.");
  });
});

it("W1 a stream without its end is broken off, because clients take a clean end for success", async () => {
  expectPrinted("The stream broke off.");
  const model = handModel();
  const served = await serve(model, { dialect });
  const messages = [{ id: "m", role: "user", content: "Hi" }];
  const response = await served.ask("/runs", { json: { threadId: "t", runId: "r", messages } });
  (await model.turn()).say("Well, ");
  await served.runtime.drain({ timeoutMs: 10 });
  await expect(response.text()).rejects.toThrow("terminated");
  expect(served.errors).toEqual([]);
});

it("W4 K6 an agent that reconnects is sent the thread, and continues it", async () => {
  const model = handModel();
  const served = await serve(model, { dialect });
  const first = httpAgent("1.0", served, { threadId: "t/1" });
  const saying = say(first, "Hi");
  const turn = await model.turn();
  turn.say("Well, ");
  turn.end([{ id: "l", name: "look", input: {} }]);
  const next = await model.turn();
  next.say("I th");
  const back = httpAgent("1.0", served, { threadId: "t/1" });
  const connected = back.connectAgent();
  await eventually(
    () => talk(back).at(-1) === "assistant I th",
    () => talk(back),
  );
  next.say("ink so.");
  next.end();
  await Promise.all([saying, connected]);
  expect(talk(back)).toEqual(talk(first));
  expect(talk(back)).toEqual([
    "user Hi",
    "assistant Well,  look({})",
    "tool found nothing",
    "assistant I think so.",
  ]);
});
