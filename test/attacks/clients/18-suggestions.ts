import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { copilotKit } from "../../../packages/sse/test/support/copilot-kit.ts";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-18",
  title:
    "Each of CopilotKit's dynamic suggestions makes a session in the user's list and pays a model request",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/copilotkit.test.ts",
    title: "W2 dynamic suggestions are refused: no session, no request to the model",
  },
  attempt: async () => {
    process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
    process.env.DO_NOT_TRACK = "1";
    const model = scriptedModel(() => ({ text: "Hello." }));
    const served = await serve(model, { dialect: agUi() });
    const page = (await copilotKit())(served);
    await page.say("Go");
    let requests = 0;
    served.server.on("request", () => {
      requests += 1;
    });
    const own = { consumerAgentId: "default", providerAgentId: "default" };
    page.core.addSuggestionsConfig({ instructions: "Suggest.", ...own });
    page.core.reloadSuggestions("default");
    await comesAbout(() => requests > 0);
    await comesAbout(() => !page.core.getSuggestions("default").isLoading);
    const sessions = (await served.store.sessions.list({ userId: "ada" })).length;
    const asked = model.requests.length;
    return mustHold(requests > 0 && sessions === 1 && asked === 1, {
      requests,
      sessions,
      "model requests": asked,
    });
  },
};
