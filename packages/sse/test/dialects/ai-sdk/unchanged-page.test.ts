import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk, uiMessages, type Wanted } from "../../../src/index.ts";
import { callOf, chat, eventually, history, textOf } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

const user = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] });
const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };

describe.each([6, 7] as const)("W2 a page of the AI SDK %s", (version) => {
  it.each([true, false])("gets an old failure at each load: %s", async (replayFailures) => {
    expectPrinted("pawl: down");
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk({ replayFailures }) });
    const client = chat(version, served, { id: "c" });
    const sending = client.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Well, ");
    turn.fail(new Error("down"));
    await sending;
    expect(client.status).toBe("error");
    const later = chat(version, served, { id: "c", messages: await history(served, "c") });
    await later.resumeStream();
    expect(later.status).toBe(replayFailures ? "error" : "ready");
    expect(later.messages.map(textOf)).toEqual(["Hi", "Well, "]);
    const retry = later.regenerate();
    const next = await model.turn();
    next.say("Yes.");
    next.end();
    await retry;
    expect([later.error, ...later.messages.map(textOf)]).toEqual([undefined, "Hi", "Yes."]);
  });
});

describe.each(["6.0.37", "6.0.160", 6, "7.0.0", 7] as const)(
  "W2 a page of the AI SDK %s that cannot change",
  (version) => {
    it("sees only finished messages if it resumes only after the user's message", async () => {
      const model = handModel();
      const served = await serve(model, { dialect: aiSdk({ inProgress: "hide" }) });
      const loaded = async () => {
        const body = (await (await served.ask("/runs/c")).json()) as { running: boolean };
        const messages = await history(served, "c");
        const { runtime } = served;
        const asked = { runtime, agent: "coach", userId: "ada", id: "c", inProgress: "hide" } as const;
        expect(await uiMessages(asked)).toEqual(messages);
        return { messages, roles: messages.map(({ role }) => role), running: body.running };
      };
      const client = chat(version, served, { id: "c" });
      const sending = client.sendMessage({ text: "Look" });
      const turn = await model.turn();
      turn.say("I look.");
      turn.end([{ id: "l", name: "look", input: { what: "x" } }]);
      const next = await model.turn();
      expect(await loaded()).toMatchObject({ roles: ["user"], running: true });
      const late = chat(version, served, { id: "c", messages: (await loaded()).messages });
      const resuming = late.resumeStream();
      next.say("May I?");
      next.end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
      await Promise.all([sending, resuming]);
      // A question is finished: the page must show it without a stream.
      expect(await loaded()).toMatchObject({ roles: ["user", "assistant"], running: false });
      expect(late.messages.map(textOf)).toEqual(["Look", "I look.|May I?"]);
    });

    it("has the app's own words for failures", async () => {
      expectPrinted("pawl: down");
      const errorText = ({ code, message }: { code: string; message: string }) =>
        `${code}: ${message.length > 0}`;
      const model = handModel();
      const served = await serve(model, { dialect: aiSdk({ errorText }) });
      const client = chat(version, served, { id: "c" });
      const sending = client.sendMessage({ text: "Hi" });
      (await model.turn()).fail(new Error("down"));
      await sending;
      expect(client.error?.message).toBe("error: true");
    });
  },
);

describe("W2 a single `message` in the body", () => {
  it("begins and continues a chat, and answers its question", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, ask, { text: "Done." }]), {
      dialect: aiSdk(),
    });
    const send = async (message: unknown) => {
      const response = await served.ask("/runs", { json: { id: "c", message } });
      return [response.status, await response.text()] as const;
    };
    expect((await send(user("m1", "Hi")))[0]).toBe(200);
    expect((await send(user("m2", "Go")))[1]).toContain("Sure?");
    const shown = (await history(served, "c")).at(-1);
    const part = callOf({ messages: [shown!] }, "confirm");
    const answered = { ...part, state: "output-available", output: { yes: true } };
    expect((await send({ ...shown, parts: [answered] }))[1]).toContain("Done.");
    expect((await history(served, "c")).map(textOf)).toEqual(["Hi", "One.", "Go", "May I?|Done."]);
  });

  it("is refused beside `messages`, and so is neither", async () => {
    const served = await serve(scriptedModel([]), { dialect: aiSdk() });
    const message = user("m1", "Hi");
    for (const json of [{ id: "c" }, { id: "c", message, messages: [message] }]) {
      const response = await served.ask("/runs", { json });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("either")]);
    }
  });
});

it("F18 `admit` and `extra` know the page's own name of a chat", async () => {
  const admitted: Wanted[] = [];
  const named: unknown[] = [];
  const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }]), {
    dialect: aiSdk(),
    admit: (_, __, wanted) => void admitted.push(wanted),
    extra: {
      fields: ["mood"],
      read: (_, { threadId }) => ({ params: { named: named.push(threadId ?? "") } }),
    },
  });
  for (const id of ["m1", "m2"])
    await (await served.ask("/runs", { json: { id: "c", mood: "good", message: user(id, "Hi") } })).text();
  expect(admitted).toEqual([
    { begins: "message", threadId: "c" },
    { begins: "message", threadId: "c", sessionId: expect.any(String) },
  ]);
  expect(named).toEqual(["c", "c"]);
});

it("W2 options of aiSdk() that are wrong are refused in words", async () => {
  expect(() => aiSdk({ inProgress: "no" as never })).toThrow('must be "show" or "hide"');
  expect(() => aiSdk({ replayFailures: "no" as never })).toThrow("replayFailures");
  expect(() => aiSdk({ errorText: "Oh." as never })).toThrow("errorText");
  expectPrinted("pawl: down", "The stream broke off.");
  const model = handModel();
  const served = await serve(model, { dialect: aiSdk({ errorText: () => 5 as never }) });
  const client = chat(7, served, { id: "c" });
  const sending = client.sendMessage({ text: "Hi" });
  (await model.turn()).fail(new Error("down"));
  await sending;
  await eventually(() => served.errors.length > 0);
  expect(String(served.errors[0])).toContain("must return a string; got a number");
});

describe.each([6, 7] as const)("W2 a page of the AI SDK %s that has cut its thread", (version) => {
  const open = async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]), {
      dialect: aiSdk(),
    });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "First" });
    await client.sendMessage({ text: "Second" });
    return { served, client };
  };

  it("is told so when it edits a message under a new id", async () => {
    const { served, client } = await open();
    client.messages = client.messages.slice(0, 2);
    await client.sendMessage({ text: "Second, edited" });
    expect(client.error?.message).toMatch(/invalid_input.*continues after the messages of this request/);
    expect((await history(served, "c")).map(textOf)).toEqual(["First", "One.", "Second", "Two."]);
  });

  it("is told so when it edits a message by its id", async () => {
    const { served, client } = await open();
    const { id: messageId = "" } = client.messages[0] ?? {};
    await client.sendMessage({ text: "First, edited", messageId });
    expect(client.error?.message).toContain("cannot be changed");
    expect((await history(served, "c")).map(textOf)).toEqual(["First", "One.", "Second", "Two."]);
  });

  it("is told so when another tab has sent a message that it lacks", async () => {
    const { served, client } = await open();
    const other = chat(version, served, { id: "c", messages: (await history(served, "c")).slice(0, 2) });
    await other.sendMessage({ text: "From afar" });
    expect(other.error?.message).toContain("continues after the messages of this request");
    await client.sendMessage({ text: "Third" });
    expect(client.error).toBeUndefined();
  });

  it("may send its last message only", async () => {
    const { served } = await open();
    const response = await served.ask("/runs", { json: { id: "c", messages: [user("m3", "Third")] } });
    expect(await response.text()).toContain("Three.");
  });
});
