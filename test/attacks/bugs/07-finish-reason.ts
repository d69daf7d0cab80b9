import { openai } from "@pawl/openai";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { type ChatBody, sendChunks, words } from "../parts/chat-server.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

async function end(reason: string) {
  const api = await gateway<ChatBody>(({ response }) => sendChunks(response, words("Hello there.", reason)));
  const { say, errors } = conversation(openai("m", { baseURL: api.url, apiKey: "any" }));
  return { stop: (await say("Hi")).stop.type, errors };
}

async function counts(reason: string): Promise<string> {
  const { stop } = await end(reason);
  return mustHold(stop === "end_turn", stop);
}

async function isReported(reason: string): Promise<string> {
  const { stop, errors } = await end(reason);
  return mustHold(
    stop !== "error" || errors.length > 0,
    `${stop}, and runtime({ onError }) was told of nothing`,
  );
}

export const attack: Attack = {
  id: "bugs-07",
  title:
    "A complete answer whose finish_reason has another spelling ends its run as error, and nobody is told",
  state: "open",
  attempt: () =>
    brokenByAny({
      eos: () => counts("eos"),
      eos_token: () => counts("eos_token"),
      STOP: () => counts("STOP"),
      "one that is made up": () => isReported("made_up"),
    }),
};
