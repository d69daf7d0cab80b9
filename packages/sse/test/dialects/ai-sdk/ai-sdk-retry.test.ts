import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, textOf } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { look, type Served, serve } from "../../support/served.ts";

const broken = { text: "Half of it", fault: { midStream: "invalid_request_error", afterEvents: 4 } } as const;
const atOnce = { text: "", fault: { status: 400 } } as const;
const works = { text: "Now it works." };
const lookUp = { text: "One moment.", tools: [{ id: "l1", name: "look", input: { what: "it" } }] };
const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };

/** The page shows this talk, and after a reload it shows the same. */
async function expectTalk(served: Served, client: Chat, talk: readonly string[]): Promise<void> {
  expect(client.error?.message).toBeUndefined();
  expect(client.messages.map(textOf)).toEqual(talk);
  expect((await history(served, "c")).map(textOf)).toEqual(talk);
}

/** A fetch that fails as often as `down()` says so. */
const unreliable =
  (down: () => boolean): typeof fetch =>
  async (input, init) => {
    if (down()) throw new TypeError("Failed to fetch");
    return await fetch(input, init);
  };

describe.each([6, 7] as const)("W5 the Retry button of the AI SDK %i", (version) => {
  it.each(["regenerate", "sendMessage"] as const)(
    "%s() after a model error answers the message anew, which stands once",
    async (how) => {
      expectPrinted("pawl: invalid_request_error");
      const model = scriptedModel([broken, works]);
      const served = await serve(model, { dialect: aiSdk() });
      const client = chat(version, served, { id: "c" });
      await client.sendMessage({ text: "Hi" });
      expect(client.status).toBe("error");
      if (how === "sendMessage") client.messages = client.messages.slice(0, 1);
      await client[how]();
      await expectTalk(served, client, ["Hi", "Now it works."]);
      expect(client.status).toBe("ready");
      expect(model.requests).toHaveLength(2);
    },
  );

  it("sendMessage() with the id of the failed message tries it again, and a second failure too", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([atOnce, atOnce, works, works]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    const send = async (text: string) => {
      client.messages = [];
      await client.sendMessage({ id: "m1", role: "user", parts: [{ type: "text", text }] } as never);
    };
    await send("Hi");
    expect([client.status, model.requests.length]).toEqual(["error", 1]);
    await send("Ho");
    expect([client.status, model.requests.length]).toEqual(["error", 1]);
    await send("Hi");
    expect([client.status, model.requests.length]).toEqual(["error", 2]);
    await send("Hi");
    await expectTalk(served, client, ["Hi", "Now it works."]);
    // An answered message is not answered again, whatever is sent twice.
    await send("Hi");
    await expectTalk(served, client, ["Hi", "Now it works."]);
    expect(model.requests).toHaveLength(3);
  });

  it("regenerate() shows the failed run's work, and continues from it", async () => {
    expectPrinted("pawl: invalid_request_error");
    const served = await serve(scriptedModel([lookUp, broken, works]), { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Hi" });
    await client.regenerate();
    await expectTalk(served, client, ["Hi", "One moment.|Now it works."]);
    const reloaded = chat(version, served, { id: "c", messages: await history(served, "c") });
    await reloaded.resumeStream();
    await expectTalk(served, reloaded, ["Hi", "One moment.|Now it works."]);
    for (const page of [client, reloaded]) {
      expect(callOf(page, "look")).toMatchObject({ state: "output-available", output: "found it" });
    }
  });

  it.each(["regenerate", "sendMessage"] as const)(
    "%s() continues an answered message whose run failed",
    async (how) => {
      expectPrinted("pawl: invalid_request_error");
      const model = scriptedModel([ask, atOnce, atOnce, works]);
      const served = await serve(model, { dialect: aiSdk() });
      const client = chat(version, served, { id: "c" });
      await client.sendMessage({ text: "Hi" });
      await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
      await eventually(() => client.status === "error");
      await client.sendMessage();
      expect([client.status, model.requests.length]).toEqual(["error", 3]);
      await client[how]();
      await expectTalk(served, client, ["Hi", "May I?|Now it works."]);
      expect(client.messages).toHaveLength(2);
    },
  );

  it("sendMessage() is refused if the page would append the new answer to half of the old one", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([ask, broken, works]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Hi" });
    await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await eventually(() => client.status === "error");
    await client.sendMessage();
    expect([client.error?.message, model.requests.length]).toEqual([
      expect.stringContaining("Call regenerate()"),
      2,
    ]);
    await client.regenerate();
    await expectTalk(served, client, ["Hi", "May I?|Now it works."]);
  });

  it.each(["regenerate", "sendMessage"] as const)("%s() sends a message that never arrived", async (how) => {
    let down = true;
    const served = await serve(scriptedModel([works]), { dialect: aiSdk() });
    const client = chat(version, served, { id: "c", fetch: unreliable(() => down) });
    await client.sendMessage({ text: "Hi" });
    expect(client.status).toBe("error");
    down = false;
    await client[how]();
    await expectTalk(served, client, ["Hi", "Now it works."]);
  });

  it("sendMessage() sends an answer again that was lost in transit", async () => {
    let down = true;
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!down) return response;
      await response.text();
      throw new TypeError("Failed to fetch");
    };
    const model = scriptedModel([works]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c", fetch: lossy });
    await client.sendMessage({ text: "Hi" });
    down = false;
    await client.sendMessage();
    await expectTalk(served, client, ["Hi", "Now it works."]);
    expect(model.requests).toHaveLength(1);
  });

  it("regenerate() shows the run that is still in progress, whose stream was lost", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    const sending = client.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Well, ");
    await eventually(() => textOf(client.messages.at(-1)) === "Well, ");
    for (const socket of served.sockets) socket.destroy();
    await sending;
    expect(client.status).toBe("error");
    const again = client.regenerate();
    await eventually(() => client.status === "streaming" && textOf(client.messages.at(-1)) === "Well, ");
    turn.say("hello.");
    turn.end();
    await again;
    await expectTalk(served, client, ["Hi", "Well, hello."]);
  });

  it("pressed in two tabs at once makes one run, which both are shown", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([broken, { ...works, delayPerEventMs: 3 }]);
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Hi" });
    const other = chat(version, served, { id: "c", messages: await history(served, "c") });
    await Promise.all([client.regenerate(), other.regenerate()]);
    for (const tab of [client, other]) await expectTalk(served, tab, ["Hi", "Now it works."]);
    expect(model.requests).toHaveLength(2);
  });

  it("after a reload the error is shown again, and regenerate() works", async () => {
    expectPrinted("pawl: invalid_request_error");
    const served = await serve(scriptedModel([broken, works]), { dialect: aiSdk() });
    await chat(version, served, { id: "c" }).sendMessage({ text: "Hi" });
    const page = chat(version, served, { id: "c", messages: await history(served, "c") });
    await page.resumeStream();
    expect(page.status).toBe("error");
    expect(page.messages.map(textOf)).toEqual(["Hi", "Half of "]);
    await page.regenerate();
    await expectTalk(served, page, ["Hi", "Now it works."]);
  });

  it("after a complete answer is refused with an explanation, and so is another text under a known id", async () => {
    const served = await serve(scriptedModel([works, works]), { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Hi" });
    await client.regenerate();
    expect(client.error?.message).toContain("It cannot be answered again, because a session has no branches");
    const page = chat(version, served, { id: "c", messages: await history(served, "c") });
    await page.sendMessage({ text: "Ho", messageId: page.messages[0]?.id ?? "" });
    expect(page.error?.message).toContain("A message that was sent cannot be changed");
    expect((await history(served, "c")).map(textOf)).toEqual(["Hi", "Now it works."]);
  });

  it("L8 a stopped answer can be generated again", async () => {
    const endless = { text: "a ".repeat(400), delayPerEventMs: 20 };
    const served = await serve(scriptedModel([endless, works]), { dialect: aiSdk(), tools: [look] });
    const client = chat(version, served, { id: "c" });
    const sending = client.sendMessage({ text: "Hi" });
    await eventually(() => textOf(client.messages.at(-1)).length > 10);
    await served.ask("/sessions/c/stop", { method: "POST" });
    await sending;
    await client.regenerate();
    await expectTalk(served, client, ["Hi", "Now it works."]);
  });
});
