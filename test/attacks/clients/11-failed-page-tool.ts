import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { chat, textOf } from "../../../packages/sse/test/support/chat.ts";
import type { Attack } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, comesAbout, confirm, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-11",
  title: "A tool of the page that fails is refused, so that its call waits for good",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "P4 a tool of the page may fail: the model reads the reason, and the page shows it",
  },
  attempt: () =>
    withAiSdk(async (version) => {
      const model = scriptedModel([calling("confirm"), { text: "A pity." }]);
      const page = chat(version, await serve(model, { dialect: aiSdk(), of: { tools: [confirm] } }));
      await page.sendMessage({ text: "Go" });
      const failed = { state: "output-error", errorText: "no camera" } as const;
      await page.addToolOutput({ tool: "confirm", toolCallId: "c1", ...failed });
      const goesOn = await comesAbout(() => textOf(page.messages.at(-1)) === "A pity.");
      const isRead = JSON.stringify(model.requests[1]?.messages ?? "").includes("no camera");
      return mustHold(goesOn && isRead, { goesOn, isRead, error: page.error?.message });
    }),
};
