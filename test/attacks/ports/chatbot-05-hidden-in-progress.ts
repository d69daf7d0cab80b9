import { tool } from "@pawl/core";
import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { chat } from "../../../packages/sse/test/support/chat.ts";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { anyObject, calling, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "ports-chatbot-05",
  title: "The messages that an AI SDK page loads do not show that their run is in progress",
  state: "open",
  attempt: async () => {
    const began = Promise.withResolvers<void>();
    const end = Promise.withResolvers<string>();
    const slow = tool({
      name: "slow",
      description: "Takes a while.",
      input: anyObject,
      execute: async () => {
        began.resolve();
        return await end.promise;
      },
    });
    const model = scriptedModel([calling("slow"), { text: "Done." }]);
    const served = await serve(model, { dialect: aiSdk(), of: { tools: [slow] } });
    const sending = chat(7, served, { id: "c" }).sendMessage({ text: "Go" });
    await began.promise;
    const load = async () => (await (await served.ask("/runs/c")).json()) as Record<string, unknown>;
    const during = await load();
    end.resolve("ok");
    await sending;
    const after = await load();
    const told = ({ messages: _, ...rest }: Record<string, unknown>) => JSON.stringify(rest);
    return mustHold(
      told(during) !== told(after),
      `beside the messages, ${told(during)} during the run and after it`,
    );
  },
};
