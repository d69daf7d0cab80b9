import type { JsonObject } from "@pawl/core";
import { receivedFiles, wordsOnFiles } from "@pawl/example-data-parts";
import type { ParsedRequest, Reply, Rules } from "@pawl/testing";
import { answer } from "./answer.ts";
import { notify } from "./calls.ts";
import { sceneOf } from "./scene.ts";
import { selection } from "./selection.ts";

export interface TrainerRulesOptions {
  /** The speed: 2 is twice as fast, `Infinity` never pauses. Default: 1. */
  speed?: number;
}

/**
 * Creates rules by which the Messages API simulator plays both the trainer and the initializer. The tools of
 * a request show which of the two sent it. The rules are a pure function of the request.
 *
 * @example
 * ```ts
 * import { trainerRules } from "@pawl/example-trainer";
 * import { messagesApi } from "@pawl/testing";
 *
 * const api = await messagesApi({ rules: trainerRules({ speed: Infinity }) });
 * console.log(api.url);
 * await api.close();
 * ```
 */
export function trainerRules({ speed = 1 }: TrainerRulesOptions = {}): Rules {
  return (request) => {
    const names = (request.tools ?? []).map(({ name }) => String(name));
    const reply = names.includes("generate_workout") ? trained(request) : choose(request, names[0]);
    return { latencyMs: 300 / speed, delayPerEventMs: 20 / speed, ...reply };
  };
}

/** Plays the trainer. Says what it knows of new files, unless the message asks for something else. */
function trained(request: ParsedRequest): Reply {
  const reply = answer(sceneOf(request));
  const { now, alone } = receivedFiles(request.messages);
  const asksBack = reply.tools?.[0]?.name === "message_ask_user";
  return now.length > 0 && (alone || asksBack) ? notify(wordsOnFiles(now)) : reply;
}

function choose(request: ParsedRequest, tool: string | undefined): Reply {
  const chosen = selection(newMessage(request));
  return tool === undefined
    ? { text: JSON.stringify(chosen) }
    : { tools: [{ name: tool, input: chosen as unknown as JsonObject }] };
}

/** Returns the user's newest message. The initializer's requests contain it in a tag. */
function newMessage({ messages }: ParsedRequest): string {
  const { content = "" } = messages.at(-1) ?? {};
  const text =
    typeof content === "string" ? content : content.map((block) => String(block.text ?? "")).join("\n");
  return /<message>([\s\S]*?)<\/message>/.exec(text)?.[1] ?? text;
}
