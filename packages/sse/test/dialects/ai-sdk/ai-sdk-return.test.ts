import { agent, agentTool, approval, type ModelClient } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { callOf, chat, eventually, history, type Message, textOf } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { confirm, type Served, serve } from "../../support/served.ts";

const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
const lookUp = (...ids: string[]) => ({
  tools: ids.map((id) => ({ id, name: "look", input: { what: id } })),
});
const gated = { hooks: [approval({ when: ["look"] })] };

/** A page that is loaded as the README says: the messages first, the stream a while later. */
async function load(
  version: 6 | 7,
  served: Served,
  meanwhile: () => Promise<unknown> = async () => undefined,
) {
  const messages = await history(served, "c");
  await meanwhile();
  const page = chat(version, served, { id: "c", messages });
  await page.resumeStream();
  expect(page.error?.message).toBeUndefined();
  return page;
}

/**
 * What of a page's messages a reload must bring back. Ids of parts are the stream's own, and only the server
 * knows when it got a message.
 */
function shown(messages: readonly Message[]): unknown {
  return JSON.parse(JSON.stringify(messages)).map(({ role, metadata, ...message }: Message) => ({
    ...message,
    role,
    metadata: role === "assistant" && metadata,
    parts: message.parts.map(({ state, ...part }) => ({
      ...part,
      id: undefined,
      ...(role === "assistant" && { state }),
    })),
  }));
}

/** A fetch whose next response breaks off after some bytes, as a lost connection does. */
function cutting(afterBytes: number): typeof fetch {
  let cut = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (cut || response.body === null) return response;
    cut = true;
    const reader = response.body.getReader();
    let bytes = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value } = await reader.read();
        bytes += value?.length ?? 0;
        if (value !== undefined && bytes <= afterBytes) return controller.enqueue(value);
        await reader.cancel();
        controller.error(new TypeError("network error"));
      },
    });
    return new Response(body, { headers: response.headers });
  };
}

describe.each([6, 7] as const)("K6 W4 a page of the AI SDK %i that comes back", (version) => {
  it("a new chat is ready: there is nothing to resume, and that is no error", async () => {
    const served = await serve(scriptedModel([]), { dialect: aiSdk() });
    const page = chat(version, served, { id: "new" });
    await page.resumeStream();
    expect([page.status, page.error, page.messages]).toEqual(["ready", undefined, []]);
  });

  it("has the whole answer, although the run ended between its two requests", async () => {
    const served = await serve(
      scriptedModel([{ text: "A whole answer in many words.", deltas: 10, delayPerEventMs: 5 }]),
      { dialect: aiSdk() },
    );
    const sending = chat(version, served, { id: "c" }).sendMessage({ text: "Hi" });
    await eventually(() => served.sockets.size > 0);
    await eventually(async () => (await history(served, "c")).length > 0);
    const page = await load(version, served, () => sending);
    expect(page.messages.map(textOf)).toEqual(["Hi", "A whole answer in many words."]);
    expect(page.status).toBe("ready");
    expect((await load(version, served)).messages.map(textOf)).toEqual([
      "Hi",
      "A whole answer in many words.",
    ]);
  });

  it("has the question, although it was asked between its two requests, and does not show an answered question", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const first = chat(version, served, { id: "c" });
    const sending = first.sendMessage({ text: "Do it" });
    const turn = await model.turn();
    const page = await load(version, served, async () => {
      turn.say("May I?");
      turn.end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
      await sending;
    });
    expect(callOf(page, "confirm")).toMatchObject({ state: "input-available", input: { question: "Sure?" } });
    const answering = page.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    const next = await model.turn();
    const called: unknown[] = [];
    const late = chat(version, served, {
      id: "c",
      messages: await history(served, "c"),
      onToolCall: ({ toolCall }) => void called.push(toolCall),
    });
    const resuming = late.resumeStream();
    next.say("Done.");
    next.end();
    await Promise.all([answering, resuming]);
    await eventually(() => page.status === "ready");
    for (const tab of [page, late]) expect(tab.messages.map(textOf)).toEqual(["Do it", "May I?|Done."]);
    expect(called).toEqual([]);
  });

  it.each(["is over", "goes on"])(
    "has no half answer after a lost connection, when the run %s",
    async (how) => {
      const text = "word ".repeat(60);
      const served = await serve(scriptedModel([{ text, deltas: 60, delayPerEventMs: 2 }]), {
        dialect: aiSdk(),
      });
      const page = chat(version, served, { id: "c", fetch: cutting(2_000) });
      await page.sendMessage({ text: "Write" });
      expect(page.status).toBe("error");
      if (how === "is over") await eventuallyIdle(served);
      // What useChat({ resume: true }) does by itself when the page is visible again.
      await page["~resumeStreamIfDisconnected"]();
      expect(page.status).toBe("ready");
      expect(page.messages.map(textOf)).toEqual(["Write", text]);
    },
  );

  it("gets the messages of a queue that was processed meanwhile, each in its place", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk(), whenBusy: "queue" });
    const first = chat(version, served, { id: "c" });
    const sending = first.sendMessage({ text: "One" });
    const turn = await model.turn();
    turn.say("First ");
    await eventually(() => textOf(first.messages.at(-1)) === "First ");
    const page = await (async () => {
      const sender = chat(version, served, { id: "c", messages: await history(served, "c") });
      const second = sender.sendMessage({ text: "Two" });
      await eventuallyQueued(served);
      return await load(version, served, async () => {
        turn.say("answer.");
        turn.end();
        const next = await model.turn();
        next.say("Second answer.");
        next.end();
        await Promise.all([sending, second]);
      });
    })();
    expect(page.messages.map(textOf)).toEqual(["One", "First answer.", "Two", "Second answer."]);
    expect(shown(page.messages)).toEqual(shown(await history(served, "c")));
  });

  it.each([
    ["denied", { approved: false, reason: "Not now." }, "output-denied"],
    ["approved", { approved: true }, "output-available"],
  ] as const)("shows a call that was %s as the open page does", async (_how, answer, state) => {
    const served = await serve(scriptedModel([lookUp("l"), { text: "Then so." }]), {
      dialect: aiSdk(),
      ...gated,
    });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Look" });
    const { id = "" } = callOf(page, "look").approval ?? {};
    await page.addToolApprovalResponse({ id, ...answer });
    await eventually(() => textOf(page.messages.at(-1)) === "Then so." && page.status === "ready");
    const [{ messages }, reloaded] = [{ messages: await history(served, "c") }, await load(version, served)];
    const part = callOf({ messages }, "look");
    expect([callOf(page, "look").state, part.state, callOf(reloaded, "look").state]).toEqual([
      state,
      state,
      state,
    ]);
    expect(part.approval).toMatchObject({ id, ...answer });
  });

  it("P2 two tabs at one question: one answer counts, the other tab is notified, and both show the same in the end", async () => {
    const model = scriptedModel([ask, { text: "Done." }]);
    const served = await serve(model, { dialect: aiSdk() });
    const one = chat(version, served, { id: "c" });
    await one.sendMessage({ text: "Do it" });
    const two = await load(version, served);
    const answer = (yes: boolean) => ({ tool: "confirm", toolCallId: "c1", output: { yes } });
    await Promise.all([one.addToolOutput(answer(true)), two.addToolOutput(answer(false))]);
    await eventually(() => [one, two].every(({ status }) => status === "ready" || status === "error"));
    const refused = [one, two].filter(({ error }) => error !== undefined);
    expect(refused.map(({ error }) => error?.message)).toEqual([expect.stringContaining("already_answered")]);
    for (const tab of [one, two]) {
      await tab.resumeStream();
      expect(shown(tab.messages)).toEqual(shown(await history(served, "c")));
    }
    expect(model.requests).toHaveLength(2);
  });

  it("P6 shows a call that a new message cancelled as one that did not run", async () => {
    const served = await serve(scriptedModel([lookUp("l"), { text: "As you like." }]), {
      dialect: aiSdk(),
      ...gated,
    });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Look" });
    await page.sendMessage({ text: "Something else" });
    const reloaded = await load(version, served);
    expect(callOf(reloaded, "look")).toMatchObject({ state: "output-denied", approval: { approved: false } });
  });

  it("P4 a tool of the page may fail: the model reads the reason, and the page shows it", async () => {
    const model = scriptedModel([ask, { text: "A pity." }]);
    const served = await serve(model, { dialect: aiSdk() });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Go" });
    const failed = { state: "output-error", errorText: "no camera" } as const;
    await page.addToolOutput({ tool: "confirm", toolCallId: "c1", ...failed });
    await eventually(() => textOf(page.messages.at(-1)) === "May I?|A pity.");
    await eventually(() => page.status === "ready");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("no camera");
    expect(callOf(page, "confirm").state).toBe("output-error");
    expect(callOf(await load(version, served), "confirm").state).toBe("output-error");
  });

  it.each([
    ["refusal", { text: "I will tell you how to", stop: "refusal" } as const, "I cannot help with this."],
    [
      "max_tokens",
      { text: "This is cut off in the middle", clip: 10 },
      "This is cut |My answer was cut short. Please ask me to continue.",
    ],
  ])("W5 reads the last word of an answer that ended by %s", async (_stop, reply, words) => {
    const served = await serve(scriptedModel([reply]), { dialect: aiSdk() });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Hi" });
    expect(textOf(page.messages.at(-1))).toContain(words.split("|").at(-1));
    for (const messages of [await history(served, "c"), (await load(version, served)).messages]) {
      expect(textOf(messages.at(-1))).toBe(textOf(page.messages.at(-1)));
    }
  });

  it.each<[string, () => { model: ModelClient; options?: object; answer?: string }]>([
    ["parallel calls, one of which asks", () => ({ model: scriptedModel([bothWays]) })],
    ["turns with tools", () => ({ model: scriptedModel([lookUp("a", "b"), { text: "Done." }]) })],
    [
      "a sub-agent that asked",
      () => {
        const inner = scriptedModel([
          { tools: [{ id: "q", name: "confirm", input: { question: "Sure?" } }] },
          { text: "Ok." },
        ]);
        const helper = agent({ name: "helper", model: inner, instructions: "Help.", tools: [confirm] });
        const tools = [agentTool({ agent: helper, description: "Helps." })];
        const calls = { tools: [{ id: "a", name: "helper", input: { task: "do it" } }] };
        return { model: scriptedModel([calls, { text: "Done." }]), options: { tools }, answer: "helper" };
      },
    ],
  ])("shows order, inputs, usage and model as the open page does: %s", async (_what, made) => {
    const { model, options, answer } = made();
    const served = await serve(model, { dialect: aiSdk(), ...options });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Go" });
    if (answer !== undefined) {
      await page.addToolOutput({ tool: answer, toolCallId: "a", output: { yes: true } });
      await eventually(() => textOf(page.messages.at(-1)) === "Done." && page.status === "ready");
    }
    const messages = await history(served, "c");
    expect(messages.at(-1)?.metadata).toMatchObject({ usage: { totalTokens: expect.any(Number) } });
    expect(shown(page.messages)).toEqual(shown(messages));
    expect(shown((await load(version, served)).messages)).toEqual(shown(messages));
  });

  it("shows no empty message, whether the run failed at once or was stopped at once", async () => {
    expectPrinted("pawl: invalid_request_error");
    const served = await serve(scriptedModel([{ text: "", fault: { status: 400 } }]), { dialect: aiSdk() });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Hi" });
    expect(page.error?.message).not.toBe("");
    expect(page.messages.map(({ role }) => role)).toEqual(["user"]);
    expect((await history(served, "c")).map(({ role }) => role)).toEqual(["user"]);
  });
});

const bothWays = {
  tools: [
    { id: "a", name: "look", input: { what: "a" } },
    { id: "b", name: "confirm", input: { question: "Sure?" } },
  ],
};

async function session(served: Served) {
  const [found] = await served.store.sessions.list({ userId: "ada" });
  return found;
}

async function eventuallyIdle(served: Served): Promise<void> {
  await eventually(async () => (await session(served))?.openRun === null);
}

async function eventuallyQueued(served: Served): Promise<void> {
  const isQueued = async () =>
    (await history(served, "c")).filter(({ role }) => role === "user").length === 2;
  await eventually(isQueued);
}
