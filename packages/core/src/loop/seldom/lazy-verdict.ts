import type { Leg } from "../../leg/leg.ts";
import type { EventData } from "../../log/event-data.ts";
import type { ContentBlock } from "../../model/content.ts";
import type { JudgedAttempt, OutputVerdict } from "./output-verdict.ts";
import { seldomUsed } from "./seldom-used.ts";

/** Judges a complete answer by the agent's `output`, see `outputVerdict()`. */
export type Judge = (
  attempt: JudgedAttempt,
  answer: { content: readonly ContentBlock[]; calls: EventData["tool_call"][] },
) => Promise<OutputVerdict>;

/**
 * Returns the function that validates the run's outputs; `undefined` for an agent without `output`. Its code
 * is loaded when it is first needed, because most agents have no `output`. Called before a request is sent:
 * if the code cannot be loaded, no answer has been paid for.
 */
export async function judgeFor(leg: Leg): Promise<Judge | undefined> {
  const { output } = leg.agent;
  if (output === undefined) return undefined;
  const { outputVerdict } = await seldomUsed();
  return async (attempt, answer) => await outputVerdict(leg, output, attempt, answer);
}
