import { approval, type JsonObject, jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../../src/index.ts";
import { callOf, chat, eventually, history, textOf, type Version } from "../../support/chat.ts";
import { serve } from "../../support/served.ts";

// A page's parser throws at some keys, and the page would lose the rest of the answer.

const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];
const REFUSED = '{"a":[{"__proto__":{"x":1},"n":1}],"constructor":{"prototype":{}},"b":{"constructor":null}}';
const ACCEPTED = '{"a":[{"n":1}],"b":{}}';
const refused = () => JSON.parse(REFUSED);
const accepted = JSON.parse(ACCEPTED);

function world({ input = {}, result = "ok" }: { input?: JsonObject; result?: unknown }, asks = false) {
  const look = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { emit, progress }) => {
      await emit({ type: "data-seen", data: result as never });
      progress(result as never);
      return result;
    },
  });
  const model = scriptedModel([{ text: "I look. ", tools: [{ name: "look", input }] }, { text: "Done." }]);
  return serve(model, {
    dialect: aiSdk(),
    tools: [look],
    ...(asks && { hooks: [approval({ when: ["look"] })] }),
  });
}

describe.each(VERSIONS)("W2 useChat of the AI SDK %s, of JSON with keys that it refuses,", (version) => {
  it.each([
    ["a call", { input: refused() }, { input: accepted, output: "ok" }],
    ["a result and an emitted part", { result: refused() }, { input: {}, output: accepted }],
  ])("gets the rest of the answer, and %s without them", async (_, given, shown) => {
    const served = await world(given);
    const live = chat(version, served, { id: "c" });
    await live.sendMessage({ text: "Go" });
    const again = chat(version, served, { id: "c" });
    await again.resumeStream();
    const loaded = { messages: await history(served, "c") };
    for (const page of [live, again, loaded]) {
      expect(textOf(page.messages.at(-1))).toBe("I look. |Done.");
      expect(callOf(page, "look")).toMatchObject({ state: "output-available", ...shown });
      expect(JSON.stringify(page.messages)).not.toMatch(/__proto__|constructor/);
    }
    expect([live.error, again.error]).toEqual([undefined, undefined]);
  });

  it("gets a question without them", async () => {
    const served = await world({ input: refused() }, true);
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Go" });
    const asked = callOf(page, "look");
    expect(asked).toMatchObject({ state: "approval-requested", input: accepted });
    expect(asked.callProviderMetadata?.pawl?.approval).toMatchObject({ input: accepted });
    await page.addToolApprovalResponse({ id: asked.approval?.id ?? "", approved: true });
    await eventually(
      () => page.status === "ready" && textOf(page.messages.at(-1)) === "I look. |Done.",
      () => [page.status, page.error?.message],
    );
  });

  it("gets a `constructor` that is no danger", async () => {
    const input = { constructor: "x", of: { constructor: { name: "y" } } };
    const served = await world({ input });
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Go" });
    expect(callOf(page, "look")).toMatchObject({ state: "output-available", input });
    expect(callOf({ messages: await history(served, "c") }, "look").input).toEqual(input);
  });
});
