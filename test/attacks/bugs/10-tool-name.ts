import { tool } from "@pawl/core";
import { openai } from "@pawl/openai";
import * as z from "zod";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { type ChatBody, calling, sendChunks, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "rain" });

async function call(name: string): Promise<string> {
  const api = await gateway<ChatBody>(({ body, response }) =>
    sendChunks(response, body.messages.at(-1)?.role === "tool" ? words("Sorry.") : calling(name)),
  );
  const { say } = conversation(openai("m", { baseURL: api.url, apiKey: "any" }), { tools: [look] });
  const { stop } = await say("Hi");
  return mustHold(stop.type === "end_turn", stop.type);
}

export const attack: Attack = {
  id: "bugs-10",
  title: "A tool's name that the model makes up ends the run",
  state: "open",
  attempt: () =>
    brokenByAny({
      find: () => call("find"),
      "functions.look": () => call("functions.look"),
      "multi_tool_use.parallel": () => call("multi_tool_use.parallel"),
      "look up": () => call("look up"),
    }),
};
