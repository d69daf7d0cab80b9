import { resilient } from "@pawl/core";
import { openai } from "@pawl/openai";
import type { Attack } from "../frame/attack.ts";
import { type ChatBody, sendChunks, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

export const attack: Attack = {
  id: "bugs-08",
  title: "A complete answer is asked for again, because its stream ends without [DONE]",
  state: "open",
  attempt: async () => {
    const api = await gateway<ChatBody>(({ response }) => sendChunks(response, words("Hello there."), false));
    const model = resilient(openai("m", { baseURL: api.url, apiKey: "any" }), {
      retry: { retries: 3, baseMs: 1 },
    });
    const { stop, text } = await conversation(model).say("Hi");
    const requests = api.bodies.length;
    return mustHold(stop.type === "end_turn" && requests === 1, { stop: stop.type, text, requests });
  },
};
