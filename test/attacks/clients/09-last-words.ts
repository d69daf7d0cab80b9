import { agUi, aiSdk } from "@pawl/sse";
import { type Reply, scriptedModel } from "@pawl/testing";
import { httpAgent, say, talk } from "../../../packages/sse/test/support/agents.ts";
import { chat, history, textOf } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi, withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

const slow = { deltas: 3, delayPerEventMs: 10 };
const refusal: Reply = { text: "I will tell you how to", stop: "refusal", ...slow };
const cut: Reply = { text: "This is cut off in the middle", clip: 10, ...slow };

async function inAiSdk(version: 6 | 7, reply: Reply, word: RegExp): Promise<string> {
  const served = await serve(scriptedModel([reply]), { dialect: aiSdk() });
  const page = chat(version, served, { id: "c" });
  await page.sendMessage({ text: "Hi" });
  const got = [textOf(page.messages.at(-1)), textOf((await history(served, "c")).at(-1))];
  return mustHold(
    got.every((text) => word.test(text) && !text.includes("how to")),
    got,
  );
}

async function inAgUi(version: "0.0.59" | "1.0", reply: Reply, word: RegExp): Promise<string> {
  const agent = httpAgent(version, await serve(scriptedModel([reply]), { dialect: agUi() }));
  await say(agent, "Hi");
  const shown = talk(agent).join(" / ");
  return mustHold(word.test(shown) && !shown.includes("how to"), shown);
}

const cannot = /I cannot help with this\./;
const short = /My answer was cut short/;

export const attack: Attack = {
  id: "clients-09",
  title:
    "The last word to the user is lost where an answer was refused or cut off, or what was refused stays",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-last-words.test.ts",
    title: "of %s is a message, now and after a reload",
  },
  attempt: () =>
    brokenByAny({
      "a refusal in the AI SDK": () => withAiSdk((version) => inAiSdk(version, refusal, cannot)),
      "a cut answer in the AI SDK": () => withAiSdk((version) => inAiSdk(version, cut, short)),
      "a refusal in AG-UI": () => withAgUi((version) => inAgUi(version, refusal, cannot)),
      "a cut answer in AG-UI": () => withAgUi((version) => inAgUi(version, cut, short)),
    }),
};
