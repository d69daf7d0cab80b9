import { approval } from "@pawl/core";
import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { errorOf, httpAgent, reloaded, say, talk } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, remove, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-04",
  title: "An AG-UI page that is reloaded at a question does not know it, and its thread takes no message",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-reload.test.ts",
    title: "P6 K6 reads the open question, and approves it",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const model = scriptedModel([calling("remove"), { text: "Done." }]);
      const of = { tools: [remove], hooks: [approval({ when: ["remove"] })] };
      const served = await serve(model, { dialect: agUi(), of });
      const first = httpAgent(version, served);
      await say(first, "Remove it");
      const page = await reloaded(version, served, first.threadId);
      const [known] = page.pendingInterrupts;
      page.pendingInterrupts = [];
      const error = errorOf(await say(page, "Never mind"));
      const isRight = known?.id === first.pendingInterrupts[0]?.id && talk(page).at(-1) === "assistant Done.";
      return mustHold(isRight && error === undefined, { known: known?.id, error, shown: talk(page).at(-1) });
    }),
};
