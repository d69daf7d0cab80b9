import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { talk } from "../../../packages/sse/test/support/agents.ts";
import { copilotKit } from "../../../packages/sse/test/support/copilot-kit.ts";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, confirm, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-17",
  title: "A page is stuck after CopilotKit's human-in-the-loop tool has answered the question of its name",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/copilotkit.test.ts",
    title: "P1 CopilotKit's human-in-the-loop tool answers the question of the tool of its name",
  },
  attempt: async () => {
    process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
    process.env.DO_NOT_TRACK = "1";
    const model = scriptedModel([calling("confirm"), { text: "Thank you." }, { text: "Yes?" }]);
    const served = await serve(model, { dialect: agUi(), of: { tools: [confirm] } });
    const handler = async () => ({ yes: true });
    const asking = { name: "confirm", type: "human-in-the-loop", description: "Asks.", handler };
    const page = (await copilotKit())(served, { tools: [asking] });
    await page.say("Go");
    await page.say("Hello?");
    return mustHold(talk(page.shown).at(-1) === "assistant Yes?", {
      shown: talk(page.shown),
      errors: page.errors,
    });
  },
};
