import { kindOf } from "../base/check-options.ts";
import { isBlank } from "../base/text.ts";
import { eventKey } from "../log/event-keys.ts";
import { stopAfterTurn } from "../loop/after-turn.ts";
import { stopByUser } from "../loop/decide.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { openRun } from "../session/state.ts";
import { addOnce } from "./append.ts";

/** Returns the feedback of a hook's `afterTurn`. @throws Error if it is not a text, or blank */
export function checkedFeedback(feedback: unknown): string {
  if (typeof feedback === "string" && !isBlank(feedback)) return feedback;
  const got = typeof feedback === "string" ? "a blank text" : kindOf(feedback);
  throw new Error(`\`continue\` must be the text that the model reads in the next turn; got ${got}.`);
}

/**
 * Continues the run with another turn: stores the feedback of its hooks as one note, once per turn. Does
 * nothing after the landing turn, if the turn ends the run otherwise than by a complete answer, or if the
 * user has stopped the run.
 */
export async function continueWithFeedback(leg: Leg, feedback: readonly string[]): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined || run.landing !== undefined) return;
  const end = stopAfterTurn(run);
  if (end !== undefined && end.type !== "end_turn") return;
  if (leg.life.signal.aborted || stopByUser(run) !== undefined) return;
  const key = eventKey.continues(run.runId, run.turns);
  await addOnce(leg, { type: "note", key, data: { text: feedback.join("\n\n"), continues: true } });
}
