import type { Hook } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

const withhold: Hook = {
  name: "no-phone-numbers",
  afterModel: ({ content }) =>
    JSON.stringify(content).includes("650") ? { content: [{ type: "text", text: "[withheld]" }] } : undefined,
};

export const attack: Attack = {
  id: "ports-03",
  title: "Readers get the words that `afterModel` takes out of an answer",
  state: "open",
  attempt: async () => {
    const text = `Your number is 650-123-4567. ${"So be it. ".repeat(20)}`;
    const model = scriptedModel([{ text, delayPerEventMs: 10 }]);
    const { begin } = conversation(model, {
      hooks: [withhold],
    });
    const run = begin("My number?");
    let streamed = "";
    for await (const words of run.textStream) streamed += words;
    if ((await run.result).text !== "[withheld]") throw new Error("The hook did not change the answer.");
    return mustHold(!streamed.includes("650"), streamed.slice(0, 40));
  },
};
