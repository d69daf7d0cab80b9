import type { Reply, Rules } from "@pawl/testing";
import { answer } from "./answer.ts";
import { landing, summary } from "./lines.ts";
import { sceneOf } from "./scene.ts";

export interface CoachRulesOptions {
  /** The speed: 2 is twice as fast, `Infinity` never pauses. Default: 1. */
  speed?: number;
}

/**
 * Creates rules by which the Messages API simulator plays the coach. They are a pure function of the request:
 * the same conversation always gets the same answer.
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
    // A request without tools asks for the summary of a long conversation. A request whose tools must not be
    // called asks for the closing words of a run.
    if ((request.tools ?? []).length === 0) return paced({ text: summary(scene.said) }, speed);
    if (request.tool_choice?.type === "none") return paced({ text: landing }, speed);
    return paced(answer(scene), speed);
  };
}

/** Sets the pace of a reply to about that of a real model. Long texts have longer pieces and pauses. */
function paced(reply: Reply, speed: number): Reply {
  const length = reply.text?.length ?? 0;
  const perEvent = Math.min(80, Math.max(28, length / 16));
  return { latencyMs: 350 / speed, delayPerEventMs: perEvent / speed, ...reply };
}
