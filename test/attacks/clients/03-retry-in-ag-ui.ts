import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { httpAgent, run, say, talk } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

const broken = { text: "Half of it", fault: { midStream: "invalid_request_error", afterEvents: 4 } };

export const attack: Attack = {
  id: "clients-03",
  title: "An AG-UI thread that is run again after an error gets the stored error",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-again.test.ts",
    title: "W2 running the thread again after an error answers anew, once",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const model = scriptedModel([broken, broken, { text: "Now it works." }]);
      const agent = httpAgent(version, await serve(model, { dialect: agUi() }));
      await say(agent, "Hi");
      await run(agent);
      // As CopilotKit's regenerate does.
      agent.setMessages(agent.messages.slice(0, 1));
      await run(agent);
      const shown = talk(agent).join(" / ");
      return mustHold(shown === "user Hi / assistant Now it works.", {
        shown,
        requests: model.requests.length,
      });
    }),
};
