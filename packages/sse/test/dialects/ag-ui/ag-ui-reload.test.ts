import { approval, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agUi } from "../../../src/index.ts";
import { connect, errorOf, httpAgent, Reading, reloaded, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { look, serve, stored } from "../../support/served.ts";

const dialect = agUi();
const gated = { text: "I would look.", tools: [{ id: "c1", name: "look", input: {} }] };
const hooks = [approval({ when: ["look"] })];
const lastOf = <T>(events: T[]) => events.at(-1);

describe.each(["0.0.59", "1.0"] as const)("HttpAgent of AG-UI %s on a page that is reloaded", (version) => {
  const asked = async () => {
    const served = await serve(scriptedModel([gated, { text: "Done." }]), { dialect, hooks });
    const first = httpAgent(version, served);
    await say(first, "Look");
    return { served, first, page: await reloaded(version, served, first.threadId) };
  };

  it("P6 K6 reads the open question, and approves it", async () => {
    const { first, page } = await asked();
    expect(page.pendingInterrupts).toEqual(JSON.parse(JSON.stringify(first.pendingInterrupts)));
    const [question] = page.pendingInterrupts;
    const resume = [{ interruptId: question?.id, status: "resolved", payload: { approved: true } }];
    await run(page, { resume });
    expect(talk(page)).toEqual([
      "user Look",
      "assistant I would look. look({})",
      "tool found nothing",
      "assistant Done.",
    ]);
  });

  it("K6 gets the open question by connecting too", async () => {
    const { served, first } = await asked();
    const page = httpAgent(version, served, { threadId: first.threadId });
    await connect(page);
    expect(page.pendingInterrupts).toEqual(first.pendingInterrupts);
    expect(talk(page)).toEqual(talk(first));
  });

  it("P6 cancels it", async () => {
    const { page } = await asked();
    await run(page, {
      resume: page.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" })),
    });
    expect(page.pendingInterrupts).toEqual([]);
    expect(errorOf(await say(page, "Hi"))).toBeUndefined();
    expect(talk(page).slice(-2)).toEqual(["user Hi", "assistant Done."]);
  });

  it("P6 sends a message instead, which closes the question", async () => {
    const { page } = await asked();
    page.pendingInterrupts = [];
    expect(errorOf(await say(page, "Never mind"))).toBeUndefined();
    expect(talk(page).slice(-2)).toEqual(["user Never mind", "assistant Done."]);
  });

  it("K6 gets the whole thread by connecting while nothing runs, and an empty one before the first message", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect });
    const agent = httpAgent(version, served);
    const page = httpAgent(version, served, { threadId: agent.threadId });
    expect(lastOf(await connect(page))?.type).toBe("RUN_FINISHED");
    expect(await served.store.sessions.list({ userId: "ada" })).toEqual([]);
    await say(agent, "Hi");
    await connect(page);
    expect(talk(page)).toEqual(talk(agent));
  });

  it("W4 while a queued message is answered, has the answer before it", async () => {
    const model = handModel();
    const served = await serve(model, { dialect, whenBusy: "queue" });
    const one = httpAgent(version, served);
    const first = say(one, "one");
    const turn = await model.turn();
    turn.say("The first.");
    await eventually(() => talk(one).at(-1) === "assistant The first.");
    const two = await reloaded(version, served, one.threadId);
    const second = say(two, "two");
    await stored(served, "two");
    turn.end();
    const next = await model.turn();
    next.say("The sec");
    const page = await reloaded(version, served, one.threadId);
    const connected = connect(page);
    await eventually(
      () => talk(page).at(-1) === "assistant The sec",
      () => talk(page),
    );
    next.say("ond.");
    next.end();
    await Promise.all([first, second, connected]);
    const whole = ["user one", "assistant The first.", "user two", "assistant The second."];
    expect(talk(page)).toEqual(whole);
    expect(talk(await reloaded(version, served, one.threadId))).toEqual(whole);
  });

  it("W4 sees the queued message answered where it connected before", async () => {
    const model = handModel();
    const served = await serve(model, { dialect, whenBusy: "queue" });
    const one = httpAgent(version, served);
    const first = say(one, "one");
    const turn = await model.turn();
    turn.say("The first.");
    await eventually(() => talk(one).at(-1) === "assistant The first.");
    const page = await reloaded(version, served, one.threadId);
    const connected = connect(page);
    const two = httpAgent(version, served, { threadId: one.threadId });
    const second = say(two, "two");
    await stored(served, "two");
    turn.end();
    const next = await model.turn();
    next.say("The second.");
    next.end();
    await Promise.all([first, second, connected]);
    expect(talk(page)).toEqual(["user one", "assistant The first.", "user two", "assistant The second."]);
  });

  it("W2 has results in the order in which they arrived", async () => {
    const slow = tool({
      name: "slow",
      description: "Looks until the other call has its result.",
      input: z.object({}),
      execute: async (_, { sessionId }) => {
        const log = () => Array.fromAsync(served.store.read(sessionId));
        await eventually(async () => (await log()).some(({ type }) => type === "tool_result"));
        return "slow";
      },
    });
    const both = {
      tools: [
        { id: "a", name: "slow", input: {} },
        { id: "b", name: "look", input: {} },
      ],
    };
    const served = await serve(scriptedModel([both, { text: "Both." }]), { dialect, tools: [slow, look] });
    const agent = httpAgent(version, served);
    await say(agent, "Look");
    const page = await reloaded(version, served, agent.threadId);
    expect(page.messages).toEqual(JSON.parse(JSON.stringify(agent.messages)));
  });
});

it("W4 an agent that reads GET /runs/:id/stream gets a stream for an idle thread", async () => {
  const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect });
  const agent = httpAgent("1.0", served);
  const options = {
    url: `${served.url}/runs`,
    threadId: agent.threadId,
    headers: { authorization: "Bearer ada" },
  };
  await new Reading(options).connectAgent();
  await say(agent, "Hi");
  const page = new Reading(options);
  await page.connectAgent();
  expect(page.messages.map(({ content }) => content)).toEqual(["Hi", "Hello."]);
});
