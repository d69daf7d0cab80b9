import { memoryFiles } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk, uiMessages } from "../../../src/index.ts";
import { chat, history, textOf } from "../../support/chat.ts";
import { serve } from "../../support/served.ts";

describe("W4 the messages with which a page begins", () => {
  it("are an empty list for a new chat, also in pages and in other dialects that know chats by name", async () => {
    const served = await serve(scriptedModel([]), { dialect: aiSdk() });
    const got = async (path: string) => await (await served.ask(path)).json();
    expect(await got("/runs/new")).toEqual({ id: "new", messages: [], running: false });
    expect(await got("/runs/new?last=5")).toEqual({ id: "new", messages: [], running: false, before: null });
    const { runtime } = served;
    expect(await uiMessages({ runtime, agent: "coach", userId: "ada", id: "new" })).toEqual([]);
    const other = await serve(scriptedModel([]), { dialect: agUi() });
    expect(await (await other.ask("/runs/new")).json()).toEqual({
      threadId: "new",
      messages: [],
      pendingInterrupts: [],
    });
  });

  it("are in a server component what the route sends, and nobody else's", async () => {
    const script = [{ text: "One." }, { text: "Two." }];
    const served = await serve(scriptedModel(script), { dialect: aiSdk(), files: memoryFiles() });
    const client = chat(7, served, { id: "c" });
    await client.sendMessage({
      text: "Hi",
      files: [
        { type: "file", mediaType: "text/plain", url: "data:text/plain;base64,SGk=", filename: "a.txt" },
      ],
    } as never);
    await chat(7, served, { id: "c", as: "bob" }).sendMessage({ text: "Bob's" });
    const { runtime } = served;
    const of = { runtime, agent: "coach", basePath: "/api/coach", id: "c" } as const;
    const messages = await uiMessages({ ...of, userId: "ada" });
    expect(messages).toEqual(await history(served, "c"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(messages[0])).toContain("/api/coach/files/");
    expect(JSON.stringify(await uiMessages({ ...of, userId: "bob" }))).toContain("Bob's");
  });

  it("refuse what is no chat of an agent in words", async () => {
    const { runtime } = await serve(scriptedModel([]), { dialect: aiSdk() });
    const asked = { runtime, agent: "coach", userId: "ada", id: "c" } as const;
    const refused = async (wrong: object) => uiMessages({ ...asked, ...wrong } as never);
    await expect(refused({ id: undefined })).rejects.toThrow("uiMessages() needs `id`");
    await expect(refused({ userId: 5 })).rejects.toThrow("`userId` of uiMessages()");
    await expect(refused({ agent: "nobody" })).rejects.toThrow('has no agent "nobody"');
    await expect(refused({ chatId: "c" })).rejects.toThrow("chatId");
  });

  it.each([6, 7] as const)(
    "say when each was sent and begun, live and later: version %s",
    async (version) => {
      const served = await serve(scriptedModel([{ text: "One." }]), { dialect: aiSdk() });
      const client = chat(version, served, { id: "c" });
      await client.sendMessage({ text: "Hi" });
      const [sent, answer] = await history(served, "c");
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(sent?.metadata).toEqual({ createdAt: time });
      expect(answer?.metadata).toMatchObject({ createdAt: time, usage: {} });
      expect(client.messages[1]?.metadata).toEqual(answer?.metadata);
      expect(textOf(answer)).toBe("One.");
    },
  );
});
