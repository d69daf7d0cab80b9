import type { EventData } from "../events/event.ts";
import type { SessionState } from "../session/state.ts";
import type { Answer } from "./accumulate.ts";
import { toolCallsOf } from "./calls.ts";

/** What an answer that came in to its end comes to. */
export interface Verdict {
  /** The calls to run. */
  calls: EventData["tool_call"][];
  /** Why the run ends with it as an error. */
  problem?: Problem;
}

/** The codes are those of `error` events. */
export interface Problem {
  code: "contract_violation" | "unknown_stop_reason";
  message: string;
}

/** Why a model may stop. What is not here may mean anything, so nothing is done about it but to stop. */
const KNOWN: readonly (string | null)[] = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "refusal",
  "pause_turn",
  "model_context_window_exceeded",
];

export function verdictOn(answer: Answer, state: SessionState): Verdict {
  const { calls, breach } = toolCallsOf(answer, state);
  if (breach !== undefined) return { calls, problem: { code: "contract_violation", message: breach } };
  if (KNOWN.includes(answer.stopReason)) return { calls };
  const message = `The model stopped for a reason that is not known: ${answer.stopReason}`;
  return { calls, problem: { code: "unknown_stop_reason", message } };
}
