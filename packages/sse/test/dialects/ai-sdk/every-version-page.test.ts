import { type AgentOptions, jsonSchema, memoryFiles, type ToolContext, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, textOf, type Version } from "../../support/chat.ts";
import { DOT } from "../../support/filing.ts";
import { handModel } from "../../support/hand-model.ts";
import { confirm, look, type Served, serve } from "../../support/served.ts";

const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];

const yes = { yes: true };
const answer = jsonSchema<{ yes: boolean }>({ type: "object", required: ["yes"] });
const nothing = jsonSchema<object>({ type: "object" });
const locate = tool({
  name: "locate",
  description: "Where the user is.",
  input: nothing,
  runsIn: "client",
  output: jsonSchema<{ city: string }>({ type: "object" }),
});
const soon = tool({
  name: "soon",
  description: "Asks, and does not wait for long.",
  input: nothing,
  suspends: { answer, expires: { afterMs: 1, default: { yes: false } } },
});
const find = tool({
  name: "find",
  description: "Finds documents.",
  input: nothing,
  execute: (_, { report }: ToolContext) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    return "found";
  },
});
const called = (name: string): Reply => ({ tools: [{ id: "c1", name, input: {} }] });

async function serving(replies: Reply[], output?: AgentOptions<unknown>["output"]): Promise<Served> {
  const tools = [confirm, look, locate, soon, find];
  const rest = { dialect: aiSdk(), files: memoryFiles(), ...(output && { output }) };
  return await serve(scriptedModel(replies), { tools, ...rest });
}

const done = async (page: Chat, text: string) => {
  await eventually(
    () => page.status === "ready" && textOf(page.messages.at(-1)) === text,
    () => page.messages,
  );
  expect(page.error).toBeUndefined();
};
const loaded = async (version: Version, served: Served) =>
  chat(version, served, { id: "c", messages: await history(served, "c") });

describe.each(VERSIONS)("W2 a page of the AI SDK %s", (version) => {
  it("P4 in two tabs at one question: the first answer counts, and the other tab is told", async () => {
    const served = await serving([called("confirm"), { text: "Done." }]);
    const one = chat(version, served, { id: "c" });
    await one.sendMessage({ text: "Do it" });
    const two = await loaded(version, served);
    await one.addToolOutput({ tool: "confirm", toolCallId: "c1", output: yes });
    await done(one, "Done.");
    await two.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: false } });
    await eventually(() => two.error !== undefined);
    expect(two.error?.message).toContain("already_answered");
    const again = await loaded(version, served);
    expect(callOf(again, "confirm").output).toEqual(yes);
    expect(textOf(again.messages.at(-1))).toBe("Done.");
  });

  it("L9 stops the run by the route, shows the text so far, and takes the next message", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk() });
    const page = chat(version, served, { id: "c" });
    const sending = page.sendMessage({ text: "Hi" });
    (await model.turn()).say("Well, ");
    await eventually(() => textOf(page.messages.at(-1)) === "Well, ");
    await served.ask("/sessions/c/stop", { method: "POST" });
    await sending;
    expect([page.status, textOf(page.messages.at(-1))]).toEqual(["ready", "Well, "]);
    const next = page.sendMessage({ text: "Go on" });
    const turn = await model.turn();
    turn.say("Works.");
    turn.end();
    await next;
    await done(page, "Works.");
  });

  it("F12 runs a tool of the page, and the answer goes on in the same message", async () => {
    const served = await serving([called("locate"), { text: "Bonn!" }]);
    const page: Chat = chat(version, served, {
      id: "c",
      onToolCall: () =>
        void page.addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: "Bonn" } }),
    });
    await page.sendMessage({ text: "Where am I?" });
    await done(page, "Bonn!");
    expect(page.messages).toHaveLength(2);
    expect(callOf(await loaded(version, served), "locate").output).toEqual({ city: "Bonn" });
  });

  it("F1 sends a file, and has it after a reload by its path", async () => {
    const served = await serving([{ text: "I see." }]);
    const page = chat(version, served, { id: "c" });
    const files = [{ type: "file", mediaType: "image/png", url: `data:image/png;base64,${DOT}` }];
    await page.sendMessage({ text: "Look", files } as never);
    await done(page, "I see.");
    const [message] = await history(served, "c");
    const url = expect.stringMatching(/^\/api\/coach\/files\//);
    expect(message?.parts).toMatchObject([{ type: "file", mediaType: "image/png", url }, { text: "Look" }]);
  });

  it("F14 shows a source, also after a reload", async () => {
    const served = await serving([called("find"), { text: "There." }]);
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Find it" });
    await done(page, "There.");
    const source = { type: "source-url", url: "https://docs.example/1", title: "The guide" };
    for (const messages of [page.messages, await history(served, "c")])
      expect(messages[1]?.parts.filter(({ type }) => type === "source-url")).toMatchObject([source]);
  });

  it("F2 shows the run's output, also after a reload", async () => {
    const output = jsonSchema<{ sum: number }>({ type: "object", required: ["sum"] });
    const served = await serving([{ tools: [{ id: "f", name: "final_answer", input: { sum: 3 } }] }], output);
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Add" });
    await done(page, "");
    const part = { type: "data-output", data: { value: { sum: 3 }, final: true } };
    for (const messages of [page.messages, await history(served, "c")])
      expect(messages[1]?.parts.filter(({ type }) => type === "data-output")).toMatchObject([part]);
  });

  it("F26 has the default of a question that has expired, and a later answer is refused", async () => {
    const served = await serving([called("soon"), { text: "Then not." }]);
    const page = chat(version, served, { id: "c" });
    await page.sendMessage({ text: "Ask" });
    await expect.poll(async () => textOf((await history(served, "c")).at(-1))).toBe("Then not.");
    await page.addToolOutput({ tool: "soon", toolCallId: "c1", output: yes });
    await eventually(() => page.error !== undefined);
    expect(page.error?.message).toContain("already_answered");
    expect(callOf(await loaded(version, served), "soon").output).toEqual({ yes: false });
  });
});
