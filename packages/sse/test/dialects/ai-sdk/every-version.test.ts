import { approval, memoryFiles } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { callOf, chat, eventually, history, textOf, type Version } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];
const lookAt = (what: string) => ({ tools: [{ id: "look-1", name: "look", input: { what } }] });
const ask = { text: "May I?", tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
const cites = {
  type: "search_result_location",
  cited_text: "Three minutes.",
  ...{ source: "hb-7", title: "Page 7" },
  ...{ search_result_index: 0, start_block_index: 0, end_block_index: 1 },
};

describe.each(VERSIONS)("W2 useChat of the AI SDK %s", (version) => {
  it("shows text, a tool with its output, the usage, and the same after a reload", async () => {
    const served = await serve(scriptedModel([{ thinking: "Hm.", ...lookAt("it") }, { text: "Found." }]), {
      dialect: aiSdk(),
    });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Look" });
    expect([client.error, client.status]).toEqual([undefined, "ready"]);
    expect(client.messages.map(textOf)).toEqual(["Look", "Found."]);
    expect(callOf(client, "look")).toMatchObject({ state: "output-available", output: "found it" });
    const loaded = await history(served, "c");
    expect(loaded[1]?.parts.map(({ type }) => type)).toEqual(
      client.messages[1]?.parts.map(({ type }) => type),
    );
    expect(loaded[1]?.metadata).toEqual(client.messages[1]?.metadata);
  });

  it("F14 shows what a text cites, live and after a reload", async () => {
    const content = [{ type: "text" as const, text: "Three minutes.", citations: [cites] }];
    const served = await serve(scriptedModel([{ content }]), { dialect: aiSdk(), files: memoryFiles() });
    const client = chat(version, served, { id: "c" });
    await client.sendMessage({ text: "Tea?" });
    expect([client.error, client.status]).toEqual([undefined, "ready"]);
    const source = { type: "source", sourceType: "document", id: "hb-7", title: "Page 7" };
    const citations = [{ source: { ...source, mediaType: "text/plain" }, citedText: "Three minutes." }];
    for (const messages of [client.messages, await history(served, "c")]) {
      const text = messages[1]?.parts.find(({ type }) => type === "text");
      expect(text?.providerMetadata?.pawl?.citations).toEqual(citations);
    }
  });

  it.each([true, false])("asks for an approval, also after a reload, and takes %s", async (approved) => {
    const served = await serve(scriptedModel([lookAt("x"), { text: "Then so." }]), {
      dialect: aiSdk(),
      hooks: [approval({ when: ["look"] })],
    });
    const first = chat(version, served, { id: "c" });
    await first.sendMessage({ text: "Look" });
    expect(first.error).toBeUndefined();
    const reloaded = chat(version, served, { id: "c", messages: await history(served, "c") });
    const descriptor = { tool: "look", input: { what: "x" } };
    const shows = { state: "approval-requested", input: { what: "x" } };
    const metadata = { callProviderMetadata: { pawl: { approval: descriptor } } };
    expect(callOf(reloaded, "look")).toMatchObject({ ...shows, ...metadata });
    await reloaded.resumeStream();
    for (const page of [first, reloaded])
      expect(callOf(page, "look")).toMatchObject({ ...shows, ...metadata });
    await reloaded.addToolApprovalResponse({ id: callOf(reloaded, "look").approval?.id ?? "", approved });
    await eventually(() => textOf(reloaded.messages.at(-1)) === "Then so." && reloaded.status === "ready");
    const state = approved ? "output-available" : "output-denied";
    expect(callOf(reloaded, "look")).toMatchObject({ state, ...metadata });
    const again = chat(version, served, { id: "c", messages: await history(served, "c") });
    expect(callOf(again, "look")).toMatchObject({ state, ...metadata });
    await again.resumeStream();
    expect([again.error, again.messages.length]).toEqual([undefined, 2]);
    expect(callOf(again, "look")).toMatchObject({ state, ...metadata });
  });

  it("asks a question, and continues with its answer in the same message", async () => {
    const served = await serve(scriptedModel([ask, { text: "Done." }]), { dialect: aiSdk() });
    const client = chat(version, served);
    await client.sendMessage({ text: "Do it" });
    expect(callOf(client, "confirm")).toMatchObject({
      state: "input-available",
      input: { question: "Sure?" },
    });
    await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await eventually(() => textOf(client.messages.at(-1)) === "May I?|Done." && client.status === "ready");
    expect([client.error, client.messages.length]).toEqual([undefined, 2]);
  });

  it("shows a failure, and its Retry button works", async () => {
    expectPrinted("pawl: down");
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const client = chat(version, served);
    const sending = client.sendMessage({ text: "Hi" });
    const turn = await model.turn();
    turn.say("Well");
    turn.fail(new Error("down"));
    await sending;
    expect(client.status).toBe("error");
    expect(client.error?.message).not.toMatch(/down|validation/i);
    const retry = client.regenerate();
    const next = await model.turn();
    next.say("Yes.");
    next.end();
    await retry;
    expect([client.error, ...client.messages.map(textOf)]).toEqual([undefined, "Hi", "Yes."]);
  });
});
