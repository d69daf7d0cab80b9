import { claude } from "@pawl/anthropic";
import { tool } from "@pawl/core";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { sendMessage, text } from "../parts/messages-server.ts";
import { mustHold } from "../parts/must-hold.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "rain" });

export const attack: Attack = {
  id: "ports-05",
  title: "`body: { tools }` of claude() takes the agent's own tools away, and nothing is reported",
  state: "held",
  guard: {
    file: "packages/anthropic/test/bill.test.ts",
    title: "L11 sends tools of the API after the agent's, and refuses them in the body by name",
  },
  attempt: async () => {
    const api = await gateway<{ tools?: { name: string }[] }>(({ response }) =>
      sendMessage(response, [text("Hi.")]),
    );
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    try {
      const model = claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "any", body: { tools } });
      await conversation(model, { tools: [look] }).say("Hi");
    } catch (error) {
      return `refused: ${(error as Error).message}`;
    }
    const names = (api.bodies[0]?.tools ?? []).map(({ name }) => name);
    return mustHold(names.length === 0 || names.includes("look"), `the request has ${names.join()}`);
  },
};
