import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../../src/index.ts";
import { chat, eventually, history, textOf } from "../../support/chat.ts";
import { serve } from "../../support/served.ts";

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
