import type { Reply, Rules } from "@pawl/testing";
import { answer } from "./answer.ts";
import { landing, summary } from "./lines.ts";
import { sceneOf } from "./scene.ts";

export interface CoachRulesOptions {
  /** 2 is twice as fast, `Infinity` waits for nothing. */
  speed?: number;
}

/**
 * A coach for the Messages API simulator. It is a pure function of the request: every session, restart and
 * second attempt gets the same answer to the same conversation.
 *
 * @example
 * ```ts
 * import { claude } from "@pawl/anthropic";
 * import { coach, coachRules } from "@pawl/example-coach";
 * import { messagesApi } from "@pawl/testing";
 *
 * const api = await messagesApi({ rules: coachRules() });
 * const agent = coach({ model: claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "simulator" }) });
 * console.log(agent.name); // coach
 * await api.close();
 * ```
 */
export function coachRules({ speed = 1 }: CoachRulesOptions = {}): Rules {
  return (request) => {
    const scene = sceneOf(request);
    // Without tools it is asked to summarise a long conversation; with tools that it may not call, for a
    // closing word.
    if ((request.tools ?? []).length === 0) return paced({ text: summary(scene.said) }, speed);
    if (request.tool_choice?.type === "none") return paced({ text: landing }, speed);
    return paced(answer(scene), speed);
  };
}

/** About as fast as a model speaks: long texts come in longer pieces, so these wait a little longer. */
function paced(reply: Reply, speed: number): Reply {
  const length = reply.text?.length ?? 0;
  const perEvent = Math.min(80, Math.max(28, length / 16));
  return { latencyMs: 350 / speed, delayPerEventMs: perEvent / speed, ...reply };
}
