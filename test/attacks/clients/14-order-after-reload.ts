import { agent, agentTool, type Tool, tool } from "@pawl/core";
import { agUi, aiSdk } from "@pawl/sse";
import { type Reply, scriptedModel } from "@pawl/testing";
import { httpAgent, reloaded, say } from "../../../packages/sse/test/support/agents.ts";
import { callOf, chat, history, type Message } from "../../../packages/sse/test/support/chat.ts";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi, withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling, confirm, serve } from "../parts/serve.ts";

const wait = tool({
  name: "wait",
  description: "Waits.",
  input: anyObject,
  execute: async ({ ms = 20 }: { ms?: number }) => {
    await pause(ms, "a tool takes its time");
    return "waited";
  },
} as never) as Tool;

const both = (first: [string, object], second: [string, object]): Reply => ({
  tools: [first, second].map(([name, input], at) => ({ id: `c${at}`, name, input: input as never })),
});

async function orderInAiSdk(version: 6 | 7): Promise<string> {
  const model = scriptedModel([both(["wait", {}], ["confirm", {}])]);
  const served = await serve(model, { dialect: aiSdk(), of: { tools: [wait, confirm] } });
  const page = chat(version, served, { id: "c" });
  await page.sendMessage({ text: "Go" });
  const ids = (messages: Message[]) =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => part.toolCallId ?? []));
  const got = [ids(page.messages), ids(await history(served, "c"))].map(String);
  return mustHold(got[0] === got[1], got.join(", after a reload "));
}

async function inputInAiSdk(version: 6 | 7): Promise<string> {
  const inner = scriptedModel([calling("confirm", { question: "Sure?" }, "q"), { text: "Ok." }]);
  const helper = agent({ name: "helper", model: inner, instructions: "Help.", tools: [confirm] });
  const tools = [agentTool({ agent: helper, description: "Helps." })] as never[];
  const model = scriptedModel([calling("helper", { task: "do it" }), { text: "Done." }]);
  const served = await serve(model, { dialect: aiSdk(), of: { tools } });
  const page = chat(version, served, { id: "c", automatic: false });
  await page.sendMessage({ text: "Go" });
  await page.addToolOutput({ tool: "helper", toolCallId: "c1", output: { yes: true } });
  await page.sendMessage();
  const got = [page, { messages: await history(served, "c") }].map((one) =>
    JSON.stringify(callOf(one, "helper").input),
  );
  return mustHold(got[0] === got[1], got.join(", after a reload "));
}

async function orderInAgUi(version: "0.0.59" | "1.0"): Promise<string> {
  const model = scriptedModel([both(["wait", { ms: 60 }], ["wait", { ms: 1 }]), { text: "Done." }]);
  const served = await serve(model, { dialect: agUi(), of: { tools: [wait] } });
  const one = httpAgent(version, served);
  await say(one, "Go");
  const page = await reloaded(version, served, one.threadId);
  const ids = ({ messages }: typeof one) => messages.flatMap(({ toolCallId }) => toolCallId ?? []).join();
  return mustHold(ids(one) === ids(page), `${ids(one)}, after a reload ${ids(page)}`);
}

export const attack: Attack = {
  id: "clients-14",
  title: "A reload shows calls in another order, or an answered sub-agent's call with another input",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "shows order, inputs, usage and model as the open page does: %s",
  },
  attempt: () =>
    brokenByAny({
      "order in the AI SDK": () => withAiSdk(orderInAiSdk),
      "input in the AI SDK": () => withAiSdk(inputInAiSdk),
      "order in AG-UI": () => withAgUi(orderInAgUi),
    }),
};
