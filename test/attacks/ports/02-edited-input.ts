import { type Hook, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

const input = z.object({ euros: z.number() });

export const attack: Attack = {
  id: "ports-02",
  title:
    "The model never reads that a hook has changed a call's input, so that it tells the user a wrong amount",
  state: "open",
  attempt: async () => {
    let paid = 0;
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input,
      execute: ({ euros }) => {
        paid = euros;
        return "Paid.";
      },
    });
    const review: Hook = {
      name: "review",
      beforeTool: ({ arguments: planned, answer }) =>
        answer === undefined
          ? { ask: { kind: "review", payload: planned, answer: input } }
          : { input: answer },
    };
    const script = [{ tools: [{ name: "pay", input: { euros: 500 } }] }, { text: "I paid 500 €." }];
    const model = strictModel({ script });
    const { pawl, helper, say } = conversation(model, { tools: [pay], hooks: [review] });
    const { sessionId, pending } = await say("Pay the bill");
    const answers = pending.map(({ callId, seq }) => ({ callId, question: seq, value: { euros: 50 } }));
    const { actions } = await pawl.run(helper, { userId: "ada", sessionId, answers }).result;
    if (paid !== 50) throw new Error(`${paid} were paid.`);
    const isRead = /\b50\b/.test(JSON.stringify(model.requests[1]?.messages));
    return mustHold(isRead, `paid 50; the model reads ${JSON.stringify(actions[0]?.args)}`);
  },
};
