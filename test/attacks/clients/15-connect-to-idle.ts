import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { httpAgent, Reading, say } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-15",
  title: "An AG-UI agent that reads GET /runs/:id/stream throws at an idle thread",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-reload.test.ts",
    title: "W4 an agent that reads GET /runs/:id/stream gets a stream for an idle thread",
  },
  attempt: async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect: agUi() });
    const threadId = "t";
    await say(httpAgent("1.0", served, { threadId }), "Hi");
    const page = new Reading({
      url: `${served.url}/runs`,
      threadId,
      headers: { authorization: "Bearer ada" },
    });
    const error = await page.connectAgent().then(() => undefined, String);
    return mustHold(error === undefined && page.messages.length === 2, {
      error,
      messages: page.messages.length,
    });
  },
};
