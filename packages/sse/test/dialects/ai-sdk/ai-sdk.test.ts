import { approval, PawlError, withRetry } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, textOf } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { quiet, serve } from "../../support/served.ts";

const lookAt = (what: string) => ({ tools: [{ id: `look-${what}`, name: "look", input: { what } }] });
const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
const settled = (client: Chat) =>
  eventually(
    () => client.status === "ready",
    () => client.error?.message,
  );

const overloaded = () =>
  new PawlError("model_error", "SECRET-HOST is overloaded", { details: { retryable: true } });

describe.each([6, 7] as const)("W2 useChat of the AI SDK %i", (version) => {
  it("shows text, thinking, tools and the text after them in one message", async () => {
    const model = scriptedModel([
      { thinking: "Hm.", text: "One moment.", ...lookAt("it") },
      { text: "Found." },
      { text: "Twice." },
    ]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served);
    await client.sendMessage({ text: "Look" });
    expect(client.error).toBeUndefined();
    expect(client.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const parts = client.messages[1]?.parts.map(({ type, state }) => [type, state]);
    expect(parts).toEqual([
      ["step-start", undefined],
      ["reasoning", "done"],
      ["text", "done"],
      ["tool-look", "output-available"],
      ["step-start", undefined],
      ["text", "done"],
    ]);
    expect(callOf(client, "look")).toMatchObject({ input: { what: "it" }, output: "found it" });
    await client.sendMessage({ text: "Again" });
    expect(client.messages.map(textOf)).toEqual(["Look", "One moment.|Found.", "Again", "Twice."]);
    expect(model.requests).toHaveLength(3);
    expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
  });

  it("P1 P2 asks the client, and continues after its answer in the same message, once", async () => {
    const model = scriptedModel([ask, { text: "Done." }]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served);
    await client.sendMessage({ text: "Do it" });
    expect(callOf(client, "confirm")).toMatchObject({
      state: "input-available",
      input: { question: "Sure?" },
    });
    await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await eventually(() => textOf(client.messages.at(-1)) === "May I?|Done.");
    await settled(client);
    await quiet(served);
    expect(client.messages).toHaveLength(2);
    expect(callOf(client, "confirm")).toMatchObject({ state: "output-available", output: { yes: true } });
    expect(model.requests).toHaveLength(2);
  });

  it.each([true, false])(
    "asks for approval, answered with %s, and runs what was approved only",
    async (approved) => {
      const served = await serve(scriptedModel([lookAt("x"), { text: "Then so." }]), {
        dialect: aiSdk(),
        hooks: [approval({ when: ["look"] })],
      });
      const client = chat(version, served);
      await client.sendMessage({ text: "Look" });
      const part = callOf(client, "look");
      expect(part).toMatchObject({ state: "approval-requested", input: { what: "x" } });
      expect(part.callProviderMetadata?.pawl?.approval).toEqual({ tool: "look", input: { what: "x" } });
      await client.addToolApprovalResponse({ id: part.approval?.id ?? "", approved });
      await eventually(() => textOf(client.messages.at(-1)) === "Then so.");
      await settled(client);
      expect(callOf(client, "look").state).toBe(approved ? "output-available" : "output-denied");
    },
  );

  it("P3 P4 waits for all answers of one turn, next to calls of the server", async () => {
    const tools = [
      ...lookAt("a").tools,
      ...ask.tools,
      { id: "c2", name: "confirm", input: { question: "Really?" } },
    ];
    const model = scriptedModel([{ tools }, { text: "All." }]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served);
    await client.sendMessage({ text: "Do it" });
    await client.addToolOutput({ tool: "confirm", toolCallId: "c2", output: { yes: true } });
    await quiet(served);
    expect(model.requests).toHaveLength(1);
    await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: false } });
    await eventually(() => textOf(client.messages.at(-1)) === "All.");
    expect(callOf(client, "look").output).toBe("found a");
  });

  it("P6 a message instead of an answer closes the question and begins another message", async () => {
    const served = await serve(scriptedModel([ask, { text: "As you like." }]), { dialect: aiSdk() });
    const client = chat(version, served);
    await client.sendMessage({ text: "Do it" });
    await client.sendMessage({ text: "Something else" });
    expect(client.error).toBeUndefined();
    expect(client.messages.map(textOf)).toEqual(["Do it", "May I?", "Something else", "As you like."]);
  });

  it("W4 K6 after a reload, the message in progress is sent from its beginning, and continues", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const first = chat(version, served, { id: "a chat/with ünusual id" });
    const sending = first.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Well, ");
    turn.end([{ id: "l", name: "look", input: {} }]);
    const next = await model.turn();
    next.say("I th");
    await eventually(() => textOf(first.messages.at(-1)) === "Well, |I th");
    const id = encodeURIComponent("a chat/with ünusual id");
    const reloaded = chat(version, served, {
      id: "a chat/with ünusual id",
      messages: await history(served, id),
    });
    expect(reloaded.messages.map(textOf)).toEqual(["Hi", "Well, "]);
    const resuming = reloaded.resumeStream();
    await eventually(() => textOf(reloaded.messages.at(-1)) === "Well, |I th");
    // The first page, which has the half of it already, comes back too.
    await first.stop();
    const again = first.resumeStream();
    await eventually(() => first.status === "streaming");
    next.say("ink so.");
    next.end();
    await Promise.all([sending, resuming, again]);
    for (const page of [first, reloaded]) {
      expect(page.error).toBeUndefined();
      expect(page.messages.map(textOf)).toEqual(["Hi", "Well, |I think so."]);
      expect(page.messages[1]?.id).toBe(first.messages[1]?.id);
    }
    expect((await history(served, id)).map(textOf)).toEqual(["Hi", "Well, |I think so."]);
  });

  it("K6 a question is shown again after a reload, and can be answered, also by a page that is reloaded twice", async () => {
    const served = await serve(scriptedModel([ask, { text: "Done." }]), { dialect: aiSdk() });
    await chat(version, served, { id: "c" }).sendMessage({ text: "Do it" });
    const reloaded = chat(version, served, { id: "c", messages: await history(served, "c") });
    await reloaded.resumeStream();
    expect(callOf(reloaded, "confirm")).toMatchObject({
      state: "input-available",
      input: { question: "Sure?" },
    });
    await reloaded.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await eventually(() => textOf(reloaded.messages.at(-1)) === "May I?|Done.");
    await settled(reloaded);
    expect((await history(served, "c")).map(textOf)).toEqual(["Do it", "May I?|Done."]);
    const again = chat(version, served, { id: "c", messages: await history(served, "c") });
    await again.resumeStream();
    expect(again.messages).toHaveLength(2);
  });

  it("an attempt that failed does not count, wherever its text has been shown", async () => {
    const model = handModel();
    const served = await serve(withRetry(model, { sleep: async () => undefined }), { dialect: aiSdk() });
    const client = chat(version, served);
    const sending = client.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Half of");
    await eventually(() => textOf(client.messages.at(-1)) === "Half of");
    turn.fail(overloaded());
    const next = await model.turn();
    next.say("Whole.");
    await eventually(() => textOf(client.messages.at(-1)) === "Whole.");
    next.end();
    await sending;
    expect(client.error).toBeUndefined();
    expect(textOf(client.messages.at(-1))).toBe("Whole.");
  });

  it("W5 shows a failure with the message for users, and the next message is answered", async () => {
    expectPrinted("pawl: SECRET-HOST refused");
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served);
    const sending = client.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Well");
    turn.fail(new Error("SECRET-HOST refused"));
    await sending;
    expect(client.status).toBe("error");
    expect(client.error?.message).not.toContain("SECRET");
    // The text that had arrived is kept, as in the log.
    const { messages } = await served.runtime.view(
      (await served.store.sessions.list({ userId: "ada" }))[0]?.id ?? "",
      { userId: "ada" },
    );
    expect(textOf(client.messages.at(-1))).toBe(messages.at(-1)?.text);
    const retry = client.sendMessage({ text: "Again" });
    const next = await model.turn();
    next.say("Yes.");
    next.end();
    await retry;
    expect(textOf(client.messages.at(-1))).toBe("Yes.");
  });

  it("L9 stop() of the page does not stop the run; the route does, and the page shows it", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    const sending = client.sendMessage({ text: "Hi" });
    (await model.turn()).say("Well, ");
    await eventually(() => textOf(client.messages.at(-1)) === "Well, ");
    expect((await served.ask("/sessions/c/stop", { method: "POST" })).status).toBe(202);
    await sending;
    expect(client.status).toBe("ready");
  });
});

it("W1 a stream without its end is broken off, because clients take a clean end for success", async () => {
  expectPrinted("The stream broke off.");
  const model = handModel();
  const served = await serve(model, { dialect: aiSdk() });
  const client = chat(7, served);
  const sending = client.sendMessage({ text: "Hi" });
  (await model.turn()).say("Well, ");
  await eventually(() => textOf(client.messages.at(-1)) === "Well, ");
  await served.runtime.drain({ timeoutMs: 10 });
  await sending;
  expect(client.status).toBe("error");
});
