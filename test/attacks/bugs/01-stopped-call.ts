import { tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import * as z from "zod";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

type How = "the user" | "wallClockMs" | "timeoutMs";

/** A payment arrives, its response never comes, and `how` ends the call. */
async function payAndStop(how: How): Promise<string> {
  const arrived = Promise.withResolvers<void>();
  let paid = 0;
  const bank = await gateway(() => {
    paid += 1;
    arrived.resolve();
  });
  const pay = tool({
    name: "pay",
    description: "Pays an invoice.",
    input: z.object({}),
    ...(how === "timeoutMs" && { timeoutMs: 200 }),
    execute: async (_, { signal }) => await (await fetch(bank.url, { method: "POST", signal })).text(),
  });
  const model = strictModel({ script: [{ tools: [{ name: "pay", input: {} }] }, { text: "Hm." }] });
  const limits = how === "wallClockMs" ? { wallClockMs: 200 } : {};
  const { pawl, begin } = conversation(model, { tools: [pay], limits });
  const run = begin("Pay invoice 7.");
  await arrived.promise;
  if (how === "the user") await pawl.stop((await run.started).sessionId, { userId: "ada" });
  const { actions, stop } = await run.result;
  const [action] = actions;
  const modelReads = JSON.stringify(action?.result ?? "nothing");
  return mustHold(paid === 1 && /unknown/.test(modelReads), { paid, stop: stop.type, modelReads });
}

export const attack: Attack = {
  id: "bugs-01",
  title: "The model reads that a payment was not made, which was in flight when its run or its time ended",
  state: "held",
  guard: {
    file: "packages/core/test/loop/tools/cut-off.test.ts",
    title: "B3 L9 has an unknown outcome for the model, the view, the actions and the hooks, after a stop",
  },
  attempt: () =>
    brokenByAny({
      "ended by the user": () => payAndStop("the user"),
      "ended by wallClockMs": () => payAndStop("wallClockMs"),
      "ended by timeoutMs": () => payAndStop("timeoutMs"),
    }),
};
