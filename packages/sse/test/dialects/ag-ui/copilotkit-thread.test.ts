import { type AgentOptions, jsonSchema, memoryFiles, type ToolContext, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it, vi } from "vitest";
import { agUi } from "../../../src/index.ts";
import { talk } from "../../support/agents.ts";
import { copilotKit } from "../../support/copilot-kit.ts";
import { DOT } from "../../support/filing.ts";
import { confirm, type Served, serve } from "../../support/served.ts";

// CopilotKit reports its use to its maker unless it is told not to, and says so when it is loaded.
vi.stubEnv("COPILOTKIT_TELEMETRY_DISABLED", "true");
vi.stubEnv("DO_NOT_TRACK", "1");
const page = await copilotKit();

const nothing = jsonSchema<object>({ type: "object" });
const answer = jsonSchema<{ yes: boolean }>({ type: "object", required: ["yes"] });
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
const called = (name: string, input = {}): Reply => ({ tools: [{ id: "c1", name, input }] });

async function serving(replies: Reply[], output?: AgentOptions<unknown>["output"]): Promise<Served> {
  const rest = { dialect: agUi(), files: memoryFiles(), ...(output && { output }) };
  return await serve(scriptedModel(replies), { tools: [confirm, soon, find], ...rest });
}

const shownBy = (shown: object) => (shown as { messages: object[] }).messages;

describe("W2 a thread of CopilotKit", () => {
  it("P4 in two tabs at one question: the first answer counts, and the other tab loads the thread", async () => {
    const served = await serving([called("confirm", { question: "Sure?" }), { text: "Done." }]);
    const one = page(served);
    await one.say("Do it");
    const two = page(served);
    await two.connect();
    const resume = (tab: typeof one, yes: boolean) => {
      const [question] = tab.shown.pendingInterrupts;
      const entry = { interruptId: question?.id ?? "", status: "resolved", payload: { yes } };
      return tab.core.runAgent({ agent: tab.own, resume: [entry] as never });
    };
    await resume(one, true);
    expect(talk(one.shown).at(-1)).toBe("assistant Done.");
    await resume(two, false);
    expect(two.errors.join()).toContain("no longer open");
    await two.connect();
    expect(talk(two.shown)).toEqual(talk(one.shown));
  });

  it("F1 sends a file, and has it by its path when it connects", async () => {
    const served = await serving([{ text: "I see." }]);
    const { shown, core, own } = page(served);
    const source = { type: "data", value: DOT, mimeType: "image/png" };
    const content = [
      { type: "image", source },
      { type: "text", text: "Look" },
    ];
    shown.addMessage({ id: "m1", role: "user", content: content as never });
    await core.runAgent({ agent: own });
    expect(talk(shown).at(-1)).toBe("assistant I see.");
    const back = page(served);
    await back.connect();
    const url = expect.stringMatching(/^\/api\/coach\/files\//);
    expect(shownBy(back.shown)[0]).toMatchObject({
      content: [{ type: "image", source: { type: "url", value: url } }, { text: "Look" }],
    });
  });

  it("F14 has a source as an activity, also when it connects", async () => {
    const served = await serving([called("find"), { text: "There." }]);
    const first = page(served);
    await first.say("Find it");
    const back = page(served);
    await back.connect();
    const content = expect.objectContaining({ title: "The guide", url: "https://docs.example/1" });
    for (const { shown } of [first, back])
      expect(shownBy(shown)).toContainEqual(
        expect.objectContaining({ role: "activity", activityType: "source", content }),
      );
  });

  it("F2 has the run's output in its state, also when it connects", async () => {
    const output = jsonSchema<{ sum: number }>({ type: "object", required: ["sum"] });
    const served = await serving([called("final_answer", { sum: 3 })], output);
    const first = page(served);
    await first.say("Add");
    const back = page(served);
    await back.connect();
    for (const { own } of [first, back]) expect(own.state).toMatchObject({ output: { sum: 3 } });
  });

  it("F26 goes on by a message after a question has expired", async () => {
    const served = await serving([called("soon"), { text: "Then not." }, { text: "Yes?" }]);
    const { shown, say, connect } = page(served);
    await say("Ask");
    const [session] = await served.store.sessions.list({ userId: "ada" });
    const isOver = async () => (await served.store.sessions.get(session?.id ?? ""))?.openRun === null;
    await expect.poll(isOver).toBe(true);
    await connect();
    expect(shown.pendingInterrupts).toEqual([]);
    expect(talk(shown).slice(-2)).toEqual(['tool {"yes":false}', "assistant Then not."]);
    await say("Hello?");
    expect(talk(shown).at(-1)).toBe("assistant Yes?");
  });
});
