import type { EventData } from "../events/event.ts";
import { openRun, type SessionState } from "../session/state.ts";
import type { Attempt } from "./answer-events.ts";
import { ANSWERING } from "./answering.ts";
import { toolCallsOf } from "./calls.ts";

/** What an answer that came in to its end comes to. */
export interface Verdict {
  /** The calls as they are stored. */
  calls: EventData["tool_call"][];
  /** What the model is reminded of before it is asked again. */
  reminder?: EventData["note"];
  /** Why the run ends with it as an error. */
  problem?: Problem;
}

/** The codes are those of `error` events. */
export interface Problem {
  code: "contract_violation" | "unknown_stop_reason" | "no_tool_call" | "overlong_answer";
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

export function verdictOn({ answer, request }: Attempt, state: SessionState, toolOnly: boolean): Verdict {
  const { calls, breach } = toolCallsOf(answer, state);
  if (breach !== undefined) return { calls, problem: { code: "contract_violation", message: breach } };
  if (answer.cut) {
    const message = `The model wrote past max_tokens (${request.params.max_tokens}), so its answer was cut.`;
    return { calls, problem: { code: "overlong_answer", message } };
  }
  if (!KNOWN.includes(answer.stopReason)) {
    const message = `The model stopped for a reason that is not known: ${answer.stopReason}`;
    return { calls, problem: { code: "unknown_stop_reason", message } };
  }
  const choice = request.params.tool_choice?.type;
  // A hook may speak in the model's place, and a last turn has no tools.
  if (!toolOnly || choice === "none" || request.model === ANSWERING) return { calls };
  const isDone = answer.stopReason === "end_turn" || answer.stopReason === "stop_sequence";
  if (!isDone) return { calls: onlyFirst(calls) };
  if (choice === "any" || choice === "tool" || openRun(state)?.reminded === true) {
    return {
      calls,
      problem: { code: "no_tool_call", message: "The model answered without calling a tool." },
    };
  }
  return { calls, reminder: { text: REMINDER, reminder: true } };
}

const REMINDER =
  "You answered without calling a tool. Nobody reads what you write outside of a tool call. Call exactly one tool now.";

function onlyFirst([first, ...others]: EventData["tool_call"][]): EventData["tool_call"][] {
  if (first === undefined) return [];
  const invalid = `Not run: one tool is called at a time, and "${first.tool_name}" came first.`;
  return [first, ...others.map((call) => ({ ...call, invalid, skipped: "surplus" }))];
}
