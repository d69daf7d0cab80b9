import { aiSdk } from "@pawl/sse";
import { chat, history, textOf } from "../../../packages/sse/test/support/chat.ts";
import { handModel } from "../../../packages/sse/test/support/hand-model.ts";
import type { Attack } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-21",
  title: "A page that is reloaded near the end of an answer has the question without its answer",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "has the whole answer, although the run ended between its two requests",
  },
  attempt: () =>
    withAiSdk(async (version) => {
      const model = handModel();
      const served = await serve(model, { dialect: aiSdk() });
      const tab = chat(version, served, { id: "c" });
      const sending = tab.sendMessage({ text: "Hi" });
      const turn = await model.turn();
      turn.say("A whole ");
      await comesAbout(() => textOf(tab.messages.at(-1)) === "A whole ");
      const messages = await history(served, "c");
      turn.say("answer.");
      turn.end();
      await sending;
      const page = chat(version, served, { id: "c", messages });
      await page.resumeStream();
      const shown = page.messages.map(textOf).join(" / ");
      return mustHold(shown === "Hi / A whole answer.", { shown, status: page.status });
    }),
};
