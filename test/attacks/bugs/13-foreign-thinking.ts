import { claude } from "@pawl/anthropic";
import { agent, memoryStore, runtime } from "@pawl/core";
import type { Attack } from "../frame/attack.ts";
import { gateway } from "../parts/gateway.ts";
import { type MessagesBody, refuse, sendMessage, text, thinking } from "../parts/messages-server.ts";
import { mustHold } from "../parts/must-hold.ts";

export const attack: Attack = {
  id: "bugs-13",
  title: "Thinking that another model signed is sent after the agent's model changed, and refused for good",
  state: "open",
  attempt: async () => {
    const api = await gateway<MessagesBody>(({ body, response }) => {
      const blocks = body.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
      const own = `sig-${body.model}`;
      if (blocks.some(({ type, signature }) => type === "thinking" && signature !== own))
        return refuse(
          response,
          400,
          "invalid_request_error",
          "messages.1.content.0: Invalid `signature` in `thinking` block",
        );
      return sendMessage(response, [thinking(own), text("Hello.")]);
    });
    const store = memoryStore();
    const got: string[] = [];
    let sessionId: string | undefined;
    for (const id of ["claude-opus-5-5", "claude-sonnet-5-5", "claude-sonnet-5-5"]) {
      const model = claude(id, { baseURL: api.url, apiKey: "any" });
      const helper = agent({ name: "helper", model, instructions: "You help." });
      const pawl = runtime({ agents: [helper], store, onError: () => undefined });
      const result = await pawl.run(helper, { userId: "ada", input: "Hi", ...(sessionId && { sessionId }) })
        .result;
      ({ sessionId } = result);
      got.push(`${id}: ${result.stop.type}`);
    }
    return mustHold(
      got.every((one) => one.endsWith(": end_turn")),
      got,
    );
  },
};
