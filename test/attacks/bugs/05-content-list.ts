import { openai } from "@pawl/openai";
import type { Attack } from "../frame/attack.ts";
import { type ChatBody, chunk, sendChunks, usage, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

export const attack: Attack = {
  id: "bugs-05",
  title: "An answer whose pieces are lists of parts, as Mistral sends them, becomes [object Object]",
  state: "held",
  guard: {
    file: "packages/openai/test/stream.test.ts",
    title: "joins the text of chunks that are lists of parts, and keeps no reasoning of them",
  },
  attempt: async () => {
    const thought = { type: "thinking", thinking: [{ type: "text", text: "2 and 2." }] };
    const pieces = [
      chunk({ role: "assistant", content: [thought] }),
      chunk({ content: [{ type: "text", text: "Four" }] }),
      chunk({ content: "." }),
      chunk({}, "stop"),
      usage,
    ];
    const api = await gateway<ChatBody>(({ n, response }) =>
      sendChunks(response, n === 0 ? pieces : words("Yes.")),
    );
    const { say } = conversation(openai("magistral-medium-latest", { baseURL: api.url, apiKey: "any" }));
    const { text, stop } = await say("2 + 2?");
    await say("Sure?");
    const sentBack = api.bodies[1]?.messages.find(({ role }) => role === "assistant");
    const isClean = !JSON.stringify([text, sentBack]).includes("[object");
    return mustHold(isClean && (text === "Four." || stop.type === "error"), {
      text,
      stop: stop.type,
      sentBack,
    });
  },
};
