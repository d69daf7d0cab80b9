import { tool } from "@pawl/core";
import { openai } from "@pawl/openai";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { type ChatBody, calling, sendChunks, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway, sendJson } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

const signature = { extra_content: { google: { thought_signature: "SIG==" } } };
const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "rain" });

export const attack: Attack = {
  id: "bugs-12",
  title: "The signature that Gemini adds to a call is lost, so that the next request is refused",
  state: "open",
  attempt: async () => {
    const api = await gateway<ChatBody>(({ body, n, response }) => {
      if (n === 0) return sendChunks(response, calling("look", signature));
      const calls = body.messages.flatMap(({ tool_calls = [] }) => tool_calls);
      if (JSON.stringify(calls[0]?.extra_content) === JSON.stringify(signature.extra_content))
        return sendChunks(response, words("Rain."));
      const message = "Function call is missing a thought_signature in functionCall parts.";
      return sendJson(response, 400, [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }]);
    });
    const { say } = conversation(openai("gemini-3-pro", { baseURL: api.url, apiKey: "any" }), {
      tools: [look],
    });
    const { stop } = await say("Hi");
    const sentBack = api.bodies[1]?.messages.flatMap(({ tool_calls = [] }) => tool_calls);
    return mustHold(stop.type === "end_turn", { stop: stop.type, sentBack });
  },
};
