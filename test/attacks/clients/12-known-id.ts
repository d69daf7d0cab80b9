import { agUi, aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { errorOf, httpAgent, run } from "../../../packages/sse/test/support/agents.ts";
import { chat, textOf } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi, withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

const script = () => scriptedModel([{ text: "Four." }, { text: "Six." }]);

async function inAiSdk(version: 6 | 7): Promise<string> {
  const page = chat(version, await serve(script(), { dialect: aiSdk() }), { id: "c" });
  await page.sendMessage({ text: "2 + 2?" });
  const messageId = page.messages[0]?.id ?? "";
  await page.sendMessage({ text: "3 + 3?", messageId });
  const shown = page.messages.map(textOf).join(" / ");
  return mustHold(page.error !== undefined || !shown.endsWith("3 + 3? / Four."), shown);
}

async function inAgUi(version: "0.0.59" | "1.0"): Promise<string> {
  const agent = httpAgent(version, await serve(script(), { dialect: agUi() }));
  agent.addMessage({ id: "m1", role: "user", content: "2 + 2?" });
  await run(agent);
  agent.setMessages([{ id: "m1", role: "user", content: "3 + 3?" }]);
  const error = errorOf(await run(agent));
  return mustHold(error !== undefined, agent.messages.map(({ content }) => content).join(" / "));
}

export const attack: Attack = {
  id: "clients-12",
  title: "A message with a known id and other words gets the stored answer to the old words",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/known-ids.test.ts",
    title: "is refused with another text, and never gets the answer to the old one",
  },
  attempt: () =>
    brokenByAny({ "in the AI SDK": () => withAiSdk(inAiSdk), "in AG-UI": () => withAgUi(inAgUi) }),
};
