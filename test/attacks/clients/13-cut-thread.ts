import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { errorOf, httpAgent, run, say } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-13",
  title:
    "An AG-UI thread that the page has cut goes on in silence, and the model reads more than the page shows",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-again.test.ts",
    title: "P2 refuses a thread that was cut, whether it ends with a known message or a new one",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const model = scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
      const agent = httpAgent(version, await serve(model, { dialect: agUi() }));
      await say(agent, "first");
      await say(agent, "second");
      agent.setMessages(agent.messages.slice(0, 1));
      const errors = [errorOf(await run(agent)), errorOf(await say(agent, "third"))];
      return mustHold(errors.every(Boolean) && model.requests.length === 2, {
        errors,
        requests: model.requests.length,
      });
    }),
};
