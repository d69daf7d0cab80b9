import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { stopRun } from "../../../../client/src/ai-sdk.ts";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, chat, eventually, history, textOf } from "../../support/chat.ts";
import { type Served, serve } from "../../support/served.ts";

const slow = { text: "An answer in many words and pieces. ".repeat(20), delayPerEventMs: 5 };

describe.each([6, 7] as const)("W2 L9 a message after stop() of the AI SDK %i", (version) => {
  it("interrupts the run and is answered", async () => {
    const served = await serve(scriptedModel([slow, { text: "Second." }]), { dialect: aiSdk() });
    const client = chat(version, served, { id: "c" });
    const first = client.sendMessage({ text: "One" });
    await eventually(() => textOf(client.messages.at(-1)).includes("many"));
    await client.stop();
    await first;
    await client.sendMessage({ text: "Two" });
    expect(client.error?.message).toBeUndefined();
    expect(textOf(client.messages.at(-1))).toContain("Second.");
    const talk = (await history(served, "c")).map(textOf);
    expect(talk).toContain("Two");
    expect(talk.at(-1)).toBe("Second.");
  });

  it("is refused if the agent says so", async () => {
    const served = await serve(scriptedModel([slow]), { dialect: aiSdk(), whenBusy: "reject" });
    const client = chat(version, served, { id: "c" });
    const first = client.sendMessage({ text: "One" });
    await eventually(() => textOf(client.messages.at(-1)).includes("many"));
    await client.stop();
    await first;
    await client.sendMessage({ text: "Two" });
    expect(client.error?.message).toContain("session_busy");
  });
});

describe.each(["6.0.37", 6, "7.0.0", 7] as const)(
  "W2 L9 stopRun() for a page of the AI SDK %s",
  (version) => {
    const headers = { authorization: "Bearer ada" };
    const open = async () => {
      const served = await serve(scriptedModel([slow, slow]), { dialect: aiSdk() });
      return { served, page: { api: `${served.url}/runs`, headers } };
    };
    const writes = (client: Chat) => eventually(() => textOf(client.messages.at(-1)).includes("many"));
    const stopTypeOf = async ({ store }: Served) => {
      const [session] = await store.sessions.list({ userId: "ada" });
      const ends = await Array.fromAsync(store.read(session?.id ?? "", { types: ["run_ended"] }));
      return ends.map((event) => event.type === "run_ended" && event.data.stop.type);
    };

    it("stops the run, and leaves the page with the text that is stored", async () => {
      const { served, page } = await open();
      const client = chat(version, served, { id: "c" });
      const sending = client.sendMessage({ text: "One" });
      await writes(client);
      expect(await stopRun(client, page)).toBe(true);
      await sending;
      expect([client.status, client.error]).toEqual(["ready", undefined]);
      expect(await stopTypeOf(served)).toEqual(["aborted"]);
      expect(client.messages.map(textOf)).toEqual((await history(served, "c")).map(textOf));
    });

    it("stops the run of a page that was reloaded", async () => {
      const { served, page } = await open();
      const first = chat(version, served, { id: "c" });
      const sending = first.sendMessage({ text: "One" });
      await writes(first);
      const client = chat(version, served, { id: "c", messages: await history(served, "c") });
      const resuming = client.resumeStream();
      await writes(client);
      expect(await stopRun(client, { ...page, headers: async () => headers })).toBe(true);
      await Promise.all([sending, resuming]);
      expect(await stopTypeOf(served)).toEqual(["aborted"]);
    });

    it.each(["first", "second"])("stops the run of the %s message that is on its way", async (which) => {
      const isFirst = which === "first";
      const script = isFirst ? [slow] : [{ text: "Zero." }, slow];
      const served = await serve(scriptedModel(script), { dialect: aiSdk() });
      const before = isFirst ? [] : ["end_turn"];
      if (!isFirst) await chat(version, served, { id: "c" }).sendMessage({ text: "Hi" });
      const page = { api: `${served.url}/runs`, headers };
      const held = Promise.withResolvers<void>();
      let tries = 0;
      const client = chat(version, served, {
        id: "c",
        messages: await history(served, "c"),
        fetch: async (...asked) => {
          await held.promise;
          return await fetch(...asked);
        },
      });
      const sending = client.sendMessage({ text: "One" });
      await eventually(() => client.status === "submitted");
      const stopping = stopRun(client, {
        ...page,
        fetch: async (...asked) => {
          const response = await fetch(...asked);
          tries += 1;
          held.resolve();
          return response;
        },
      });
      expect(await stopping).toBe(true);
      await sending;
      expect(tries).toBeGreaterThan(1);
      expect(await stopTypeOf(served)).toEqual([...before, "aborted"]);
    });

    it("lets the page stop reading if the server refuses or cannot be reached", async () => {
      const { served, page } = await open();
      for (const wrong of [{ headers: {} }, { fetch: () => Promise.reject(new TypeError("fetch failed")) }]) {
        const client = chat(version, served);
        const sending = client.sendMessage({ text: "One" });
        await writes(client);
        expect(await stopRun(client, { ...page, ...wrong })).toBe(false);
        await sending;
        expect(client.status).toBe("ready");
      }
    });
  },
);

it("W2 stopRun() says in words what it needs", () => {
  const client = { id: "c", messages: [], stop: async () => undefined };
  expect(() => stopRun("c" as never, { api: "/runs" })).toThrow("needs a `Chat` of the AI SDK");
  expect(() => stopRun(client, {} as never)).toThrow("with its `api`");
});
