import { agUi } from "@pawl/sse";
import { connect, httpAgent, reloaded, say, talk } from "../../../packages/sse/test/support/agents.ts";
import { handModel } from "../../../packages/sse/test/support/hand-model.ts";
import { pause } from "../../support/pause.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-19",
  title: "An AG-UI page that connects while a queued message is answered loses the answer before it",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-reload.test.ts",
    title: "W4 while a queued message is answered, has the answer before it",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const model = handModel();
      const served = await serve(model, { dialect: agUi(), of: { whenBusy: "queue" } });
      const one = httpAgent(version, served);
      const first = say(one, "one");
      const turn = await model.turn();
      turn.say("The first.");
      await comesAbout(() => talk(one).at(-1) === "assistant The first.");
      const second = say(await reloaded(version, served, one.threadId), "two");
      await pause(50, "the second message joins the queue, of which the page is not told");
      turn.end();
      const next = await model.turn();
      next.say("The sec");
      const page = await reloaded(version, served, one.threadId);
      const connected = connect(page);
      await comesAbout(() => talk(page).at(-1) === "assistant The sec");
      next.say("ond.");
      next.end();
      await Promise.all([first, second, connected]);
      const shown = talk(page).join(" / ");
      const whole = "user one / assistant The first. / user two / assistant The second.";
      return mustHold(shown === whole, shown);
    }),
};
