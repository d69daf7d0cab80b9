import { agUi, aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { errorOf, httpAgent, say, talk } from "../../../packages/sse/test/support/agents.ts";
import { chat, textOf } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi, withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

const script = () =>
  scriptedModel([{ text: "word ".repeat(200), deltas: 200, delayPerEventMs: 20 }, { text: "Hello." }]);

async function inAiSdk(version: 6 | 7): Promise<string> {
  const page = chat(version, await serve(script(), { dialect: aiSdk() }));
  const writing = page.sendMessage({ text: "Write" });
  await comesAbout(() => textOf(page.messages.at(-1)).startsWith("word"));
  await page.stop();
  await writing;
  await page.sendMessage({ text: "Something else" });
  const shown = textOf(page.messages.at(-1));
  return mustHold(shown.includes("Hello."), { shown: shown.slice(0, 40), error: page.error?.message });
}

async function inAgUi(version: "0.0.59" | "1.0"): Promise<string> {
  const agent = httpAgent(version, await serve(script(), { dialect: agUi() }));
  const writing = say(agent, "Write");
  await comesAbout(() => (agent.messages.at(-1)?.content ?? "").startsWith("word"));
  agent.abortRun();
  await writing;
  const error = errorOf(await say(agent, "Something else"));
  return mustHold(talk(agent).at(-1) === "assistant Hello.", {
    shown: talk(agent).at(-1)?.slice(0, 40),
    error,
  });
}

export const attack: Attack = {
  id: "clients-05",
  title: "A message after the client's own stop is refused until the run is over",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-again.test.ts",
    title: "L10 a message after abortRun() is answered, unless the agent says otherwise",
  },
  attempt: () => brokenByAny({ "stop()": () => withAiSdk(inAiSdk), "abortRun()": () => withAgUi(inAgUi) }),
};
