import { claude } from "@pawl/anthropic";
import { type AgentOptions, dropOldResults, summarize, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway } from "../parts/gateway.ts";
import { call, type MessagesBody, refuse, sendMessage, text } from "../parts/messages-server.ts";
import { mustHold } from "../parts/must-hold.ts";

/** Tokens. A character is one, as in Chinese or base64. */
const WINDOW = 20_000;
const RESULT = 4_500;
const read = tool({
  name: "read",
  description: "Reads.",
  input: z.object({}),
  maxResultChars: RESULT,
  execute: () => "漢".repeat(RESULT),
});

/** Sends messages to a model that refuses what is longer than its window; the last must be answered. */
async function talk(
  checkpointWhen: AgentOptions<unknown>["checkpointWhen"] & {},
  inputs: readonly string[],
): Promise<string> {
  const api = await gateway<MessagesBody>(({ body, n, response }) => {
    const tokens = JSON.stringify(body.messages).length;
    if (tokens > WINDOW)
      return refuse(
        response,
        400,
        "invalid_request_error",
        `prompt is too long: ${tokens} tokens > ${WINDOW} maximum`,
      );
    const last = JSON.stringify(body.messages.at(-1)?.content);
    const isToRead = last.includes("read") && !last.includes("tool_result");
    if (isToRead)
      return sendMessage(response, [call(`toolu_${n}`, "read")], { stop: "tool_use", inputTokens: tokens });
    return sendMessage(response, [text("Done.")], { inputTokens: tokens });
  });
  const model = claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "any" });
  const { say } = conversation(model, { tools: [read], checkpointWhen });
  const stops: string[] = [];
  for (const input of inputs) stops.push((await say(input)).stop.type);
  return mustHold(stops.at(-1) === "end_turn", stops.join());
}

const reads = [...Array.from({ length: 8 }, (_, n) => `read ${n}`), "hello"];
const huge = ["hello", "漢".repeat(WINDOW + 5_000), "hello", "hello"];
const small = scriptedModel(() => ({ text: "They read things." }));
const summary = (share: number) => summarize({ model: small, whenTokens: WINDOW * share, keepTurns: 1 });
const drop = dropOldResults({ whenTokens: WINDOW * 0.3 });

export const attack: Attack = {
  id: "bugs-02",
  title: "A session with checkpoints never continues after the API has refused a prompt as too long",
  state: "open",
  attempt: () =>
    brokenByAny({
      "results, dropOldResults": () => talk([drop], reads),
      "results, summarize": () => talk([summary(0.6)], reads),
      "one huge message, dropOldResults": () => talk([drop], huge),
      "one huge message, summarize": () => talk([summary(0.15)], huge),
    }),
};
