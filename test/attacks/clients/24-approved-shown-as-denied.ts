import { approval, type Tool, type ToolContext, tool } from "@pawl/core";
import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { callOf, chat, history, textOf } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, anything, calling, comesAbout, serve } from "../parts/serve.ts";

const named = { name: "pay", description: "Pays.", input: anyObject };
const inThePage = tool({ ...named, runsIn: "client", output: anything });
const suspending = tool({ ...named, suspends: { answer: anything } });
const asking = tool({
  ...named,
  execute: (_, { answered, ask }: ToolContext) =>
    answered === undefined ? ask({ kind: "card", payload: {}, answer: anything }) : "paid",
});

/** The user approves the call, and then answers what it asks. */
async function approve(version: 6 | 7, pay: Tool): Promise<string> {
  const model = scriptedModel([calling("pay"), { text: "Paid." }]);
  const of = { tools: [pay], hooks: [approval({ when: ["pay"] })] };
  const served = await serve(model, { dialect: aiSdk(), of });
  const page = chat(version, served, { id: "c" });
  await page.sendMessage({ text: "Go" });
  await page.addToolApprovalResponse({ id: callOf(page, "pay").approval?.id ?? "", approved: true });
  await comesAbout(() => callOf(page, "pay").state === "input-available" && page.status === "ready");
  await page.addToolOutput({ tool: "pay", toolCallId: "c1", output: { card: 1 } });
  const isPaid = await comesAbout(() => textOf(page.messages.at(-1)) === "Paid." && page.status === "ready");
  const part = callOf({ messages: await history(served, "c") }, "pay");
  const got = {
    isPaid,
    page: callOf(page, "pay").state,
    reload: part.state,
    approved: part.approval?.approved,
  };
  const isRight = [got.page, got.reload].every((state) => state === "output-available") && got.approved;
  return mustHold(isPaid && isRight === true, got);
}

export const attack: Attack = {
  id: "clients-24",
  title: "AI SDK: a call that was approved, and then asks or runs in the page, is shown as denied",
  state: "open",
  attempt: () =>
    withAiSdk((version) =>
      brokenByAny({
        "runsIn: client": () => approve(version, inThePage as Tool),
        suspends: () => approve(version, suspending as Tool),
        "ask()": () => approve(version, asking as Tool),
      }),
    ),
};
