import { tool } from "@pawl/core";
import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { errorOf, httpAgent, say, talk } from "../../../packages/sse/test/support/agents.ts";
import type { Attack } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling, serve } from "../parts/serve.ts";

const big = tool({
  name: "big",
  description: "Returns much.",
  input: anyObject,
  repeatable: true,
  maxResultChars: 300_000,
  execute: () => "B".repeat(300_000),
});

export const attack: Attack = {
  id: "clients-08",
  title: "An AG-UI thread whose messages are more than 1 MB together takes no message any more",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-last-words.test.ts",
    title:
      "W6 a thread of 20,000 messages, sent with every request, is answered, and refused where it was cut",
  },
  attempt: () =>
    withAgUi(async (version) => {
      const rounds = [1, 2, 3, 4].flatMap((n) => [calling("big", {}, `c${n}`), { text: `Done ${n}.` }]);
      const model = scriptedModel([...rounds, { text: "Still here." }]);
      const agent = httpAgent(version, await serve(model, { dialect: agUi(), of: { tools: [big] } }));
      for (const n of [1, 2, 3, 4]) await say(agent, `Go ${n}`);
      const size = JSON.stringify(agent.messages).length;
      const error = await say(agent, "Hello?").then(errorOf, String);
      const isRight = talk(agent).at(-1) === "assistant Still here." && size > 1_000_000;
      return mustHold(isRight, { size, error });
    }),
};
