import { claude } from "@pawl/anthropic";
import { type ModelClient, tool } from "@pawl/core";
import { openai } from "@pawl/openai";
import * as z from "zod";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { type ChatBody, calling, sendChunks, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { type Exchange, gateway, sendJson } from "../parts/gateway.ts";
import { call, type MessagesBody, sendMessage, text } from "../parts/messages-server.ts";
import { mustHold } from "../parts/must-hold.ts";

const BAD = "FORBIDDEN";
const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => `${BAD} page` });
const has = (body: { messages: unknown }, part: string) => JSON.stringify(body.messages).includes(part);

/** Azure's content filter. */
function azure({ body, n, response }: Exchange<ChatBody>) {
  const message = "The response was filtered due to the prompt triggering the content management policy.";
  const error = { message, type: null, param: "prompt", code: "content_filter", status: 400 };
  if (has(body, BAD)) return sendJson(response, 400, { error });
  return sendChunks(response, n === 0 && has(body, "Look") ? calling("look") : words("4"));
}

/** A model that refuses as long as the words are in the conversation. */
function refusing({ body, n, response }: Exchange<MessagesBody>) {
  if (has(body, BAD)) return sendMessage(response, [], { stop: "refusal" });
  if (n === 0 && has(body, "Look"))
    return sendMessage(response, [call("toolu_1", "look")], { stop: "tool_use" });
  return sendMessage(response, [text("4")]);
}

type Play<Body> = (exchange: Exchange<Body>) => void;

async function talk<Body>(
  play: Play<Body>,
  make: (url: string) => ModelClient,
  first: string,
): Promise<string> {
  const api = await gateway<Body>(play);
  const { say } = conversation(make(api.url), { tools: [look] });
  const refused = (await say(first)).stop.type;
  const next = (await say("Forget it. What is 2 + 2?")).stop.type;
  return mustHold(refused !== "error" && next === "end_turn", `${refused}, then ${next}`);
}

const chat = (baseURL: string) => openai("m", { baseURL, apiKey: "any" });
const messages = (baseURL: string) => claude("claude-sonnet-5-5", { baseURL, apiKey: "any" });

export const attack: Attack = {
  id: "bugs-03",
  title: "A session is dead for good after the provider has refused a message or a result",
  state: "open",
  attempt: () =>
    brokenByAny({
      "Azure filters a message": () => talk(azure, chat, `${BAD} words`),
      "Azure filters a result": () => talk(azure, chat, "Look."),
      "Claude refuses a message": () => talk(refusing, messages, `${BAD} words`),
      "Claude refuses a result": () => talk(refusing, messages, "Look."),
    }),
};
