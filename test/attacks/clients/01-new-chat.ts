import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { chat } from "../../../packages/sse/test/support/chat.ts";
import type { Attack } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-01",
  title: "A new chat with `resume: true` opens with an error",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "a new chat is ready: there is nothing to resume, and that is no error",
  },
  attempt: () =>
    withAiSdk(async (version) => {
      const page = chat(version, await serve(scriptedModel([]), { dialect: aiSdk() }), { id: "new" });
      await page.resumeStream();
      return mustHold(page.status === "ready" && page.error === undefined, `${page.status}: ${page.error}`);
    }),
};
