import { approval, type Hook } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { errorOf, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

const dialect = agUi();
const broken = {
  text: "Half of it",
  fault: { midStream: "invalid_request_error", afterEvents: 3 },
} as Reply;
const lookUp = { tools: [{ id: "l1", name: "look", input: {} }] };

/** `HttpAgent` leaves a rejection unhandled where its connection is lost, unless that is named an abort. */
const lossesAsAborts: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const reader = response.body?.getReader();
  const body = new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) controller.close();
        else controller.enqueue(value);
      } catch {
        controller.error(new DOMException("The connection is lost.", "AbortError"));
      }
    },
  });
  return new Response(body, response);
};

describe.each(["0.0.59", "1.0"] as const)("HttpAgent of AG-UI %s, once more", (version) => {
  it("W2 running the thread again after an error answers anew, once", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([broken, { text: "Now it works." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    expect(errorOf(await say(agent, "Hi"))).toBeDefined();
    expect(errorOf(await run(agent))).toBeUndefined();
    expect(talk(agent)).toEqual(["user Hi", "assistant Now it works."]);
    expect(talk(await reloaded(version, served, agent.threadId))).toEqual(talk(agent));
    expect(model.requests).toHaveLength(2);
  });

  it("W2 continues from the results of the failed run", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([lookUp, broken, { text: "Now it works." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi");
    await run(agent);
    const whole = ["user Hi", "assistant look({})", "tool found nothing", "assistant Now it works."];
    expect(talk(agent)).toEqual(whole);
    expect(talk(await reloaded(version, served, agent.threadId))).toEqual(whole);
  });

  it("W2 retries from the user's message too, as CopilotKit's regenerate does", async () => {
    expectPrinted("pawl: invalid_request_error");
    const served = await serve(scriptedModel([lookUp, broken, { text: "Now it works." }]), { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi");
    agent.setMessages(agent.messages.slice(0, 1));
    await run(agent);
    const whole = ["user Hi", "assistant look({})", "tool found nothing", "assistant Now it works."];
    expect(talk(agent)).toEqual(whole);
  });

  it("W2 a message with half a character in it is known again", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([broken, { text: "Now it works." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi \ud83d");
    expect(errorOf(await run(agent))).toBeUndefined();
    expect(talk(agent).at(-1)).toBe("assistant Now it works.");
  });

  it("W2 a message that never arrived is a new one", async () => {
    // Node 22 prints the error with its cause.
    expectPrinted(/^Agent execution failed: \[?TypeError: fetch failed/);
    const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect });
    const agent = httpAgent(version, served) as ReturnType<typeof httpAgent> & { url: string };
    const { url } = agent;
    agent.url = "http://127.0.0.1:1/runs";
    await expect(say(agent, "Hi")).rejects.toThrow();
    agent.url = url;
    await run(agent);
    expect(talk(agent)).toEqual(["user Hi", "assistant Hello."]);
  });

  it("K3 after a complete answer, running the message again sends that answer and reports that there is no other", async () => {
    const model = scriptedModel([{ text: "One." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi");
    agent.setMessages(agent.messages.slice(0, 1));
    const events = await run(agent);
    expect(errorOf(events)).toBeUndefined();
    expect(events.find(({ type }) => type === "CUSTOM")).toMatchObject({
      name: "already_answered",
      value: { message: expect.stringContaining("has been answered") },
    });
    expect(talk(agent)).toEqual(["user Hi", "assistant One."]);
    expect(model.requests).toHaveLength(1);
  });

  it("K3 an answer that was lost in transit is sent when the thread is run again", async () => {
    const model = handModel();
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    Object.assign(agent, { fetch: lossesAsAborts });
    const saying = say(agent, "Hi").catch(() => undefined);
    const turn = await model.turn();
    turn.say("Whole ");
    await eventually(() => talk(agent).at(-1) === "assistant Whole ");
    for (const socket of served.sockets) socket.destroy();
    await saying;
    turn.say("answer.");
    turn.end();
    expect(errorOf(await run(agent))).toBeUndefined();
    expect(talk(agent)).toEqual(["user Hi", "assistant Whole answer."]);
  });

  it("K3 an answer of which nothing arrived is sent when the thread is run again, without an error", async () => {
    const model = scriptedModel([{ text: "Whole answer." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    const lost: typeof fetch = async (input, init) => {
      await (await fetch(input, init)).text();
      throw new DOMException("The connection is lost.", "AbortError");
    };
    Object.assign(agent, { fetch: lost });
    await say(agent, "Hi");
    expect(talk(agent)).toEqual(["user Hi"]);
    Object.assign(agent, { fetch });
    const events = await run(agent);
    expect([errorOf(events), events.at(-1)?.type]).toEqual([undefined, "RUN_FINISHED"]);
    expect(talk(agent)).toEqual(["user Hi", "assistant Whole answer."]);
    expect(model.requests).toHaveLength(1);
  });

  it("P2 refuses another text under a known id", async () => {
    const model = scriptedModel([{ text: "About cats." }, { text: "About dogs." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    agent.addMessage({ id: "m1", role: "user", content: "Cats" });
    await run(agent);
    agent.setMessages([{ id: "m1", role: "user", content: "Dogs" }]);
    expect(errorOf(await run(agent))).toContain("cannot be changed");
    expect(talk(agent)).toEqual(["user Dogs"]);
    expect(model.requests).toHaveLength(1);
  });

  it("P2 refuses a thread that was cut, whether it ends with a known message or a new one", async () => {
    const model = scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "first");
    const cut = [...agent.messages];
    await say(agent, "second");
    agent.setMessages(cut.slice(0, 1));
    expect(errorOf(await run(agent))).toContain("load the thread");
    agent.setMessages([...cut, { id: "edited", role: "user", content: "other" }]);
    expect(errorOf(await run(agent))).toContain("load the thread");
    expect(model.requests).toHaveLength(2);
    const page = await reloaded(version, served, agent.threadId);
    await say(page, "third");
    expect(talk(page).slice(-2)).toEqual(["user third", "assistant Three."]);
  });

  it("P2 takes a message without the thread, or with messages that only the page has", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]), {
      dialect,
    });
    const agent = httpAgent(version, served);
    agent.addMessage({ id: "greeting", role: "assistant", content: "How can I help?" });
    await say(agent, "first");
    await say(agent, "second");
    expect(talk(agent)[0]).toBe("assistant How can I help?");
    const bare = httpAgent(version, served, { threadId: agent.threadId });
    await say(bare, "third");
    expect(talk(bare)).toEqual(["user third", "assistant Three."]);
  });

  it("W4 a second tab that does not know the last message is told to load the thread, and continues after that", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]), {
      dialect,
    });
    const one = httpAgent(version, served);
    await say(one, "first");
    const two = await reloaded(version, served, one.threadId);
    await say(one, "second");
    expect(errorOf(await say(two, "third"))).toContain("load the thread");
    await two.connectAgent();
    expect(talk(two)).toEqual(talk(one));
    await say(two, "third");
    await one.connectAgent();
    expect(talk(two)).toEqual(talk(one));
    expect(talk(one).slice(-2)).toEqual(["user third", "assistant Three."]);
  });

  it("L10 a message after abortRun() is answered, unless the agent says otherwise", async () => {
    const model = handModel();
    const served = await serve(model, { dialect });
    const agent = httpAgent(version, served);
    const saying = say(agent, "Write");
    const turn = await model.turn();
    turn.say("Once upon");
    await eventually(() => talk(agent).at(-1) === "assistant Once upon");
    agent.abortRun();
    await saying;
    const next = say(agent, "Something else");
    const answer = await model.turn();
    answer.say("Hello.");
    answer.end();
    expect(errorOf(await next)).toBeUndefined();
    expect(talk(agent)).toEqual([
      "user Write",
      "assistant Once upon",
      "user Something else",
      "assistant Hello.",
    ]);
    expect(talk(await reloaded(version, served, agent.threadId))).toEqual(talk(agent));

    const working = handModel();
    const strict = await serve(working, { dialect, whenBusy: "reject" });
    const busy = httpAgent(version, strict);
    void say(busy, "Write").catch(() => undefined);
    await working.turn();
    busy.abortRun();
    expect(errorOf(await say(busy, "Something else"))).toContain("still being answered");
  });

  it("P1 a tool message answers a question but not an approval, and the refusal explains it", async () => {
    const hooks: Hook[] = [approval({ when: ["look"] })];
    const served = await serve(scriptedModel([lookUp, { text: "Looked." }]), { dialect, hooks });
    const agent = httpAgent(version, served);
    await say(agent, "Look");
    const page = await reloaded(version, served, agent.threadId);
    const [question] = page.pendingInterrupts;
    page.pendingInterrupts = [];
    const before = [...page.messages];
    page.addMessage({ id: "mine", role: "tool", toolCallId: "l1", content: '{"approved":true}' });
    expect(errorOf(await run(page))).toContain("cannot approve");
    page.setMessages(before);
    await run(page, {
      resume: [{ interruptId: question?.id, status: "resolved", payload: { approved: true } }],
    });
    expect(talk(page).slice(-2)).toEqual(["tool found nothing", "assistant Looked."]);
  });
});
