import type { Hook } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

const noHomework: Hook = {
  name: "no-homework",
  beforeRun: async ({ read }) => {
    const message = (await Array.fromAsync(read({ types: ["user_message"] }))).at(-1);
    const isBad = message?.type === "user_message" && message.data.message.includes("2x");
    return isBad ? { stop: { type: "guardrail", message: "No homework." } } : undefined;
  },
};

export const attack: Attack = {
  id: "ports-07",
  title: "A message that a hook has refused is answered together with the next one",
  state: "open",
  attempt: async () => {
    const model = strictModel({ rules: () => ({ text: "x is 3." }) });
    const { say } = conversation(model, { hooks: [noHomework] });
    const { stop } = await say("Solve 2x + 5 = 11");
    await say("Thanks anyway");
    const isRead = JSON.stringify(model.requests[0]?.messages).includes("2x");
    return mustHold(!isRead, `${stop.type}, and the model reads it with the next message`);
  },
};
