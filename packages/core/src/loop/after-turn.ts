import { CONTEXT_WINDOW, REFUSAL, type StopReason } from "../log/stop-reason.ts";
import type { RunState } from "../session/state.ts";

/** The number of times in a row that a paused answer is sent back for the model to continue. */
const MAX_PAUSES = 5;

const UNUSABLE = "The model's answer could not be used. Please try again.";

const UNDECIDED = "I did not know what to do next. Please try again, or say it in other words.";

const UNFIT = "I could not put my answer into the right form. Please try again.";

const UNFINISHED =
  "This takes more searching than I can do at once. Please ask me to continue, or ask for less.";

const COMPLETED: StopReason = { type: "end_turn", message: "Done." };

/**
 * Returns why the run ends after its latest turn; `undefined` if it continues. Checks for a result that ends
 * the run, an output, a stored problem, and whether the run continues, in this order. Otherwise the answer's
 * stop reason decides. The answer's text is never interpreted.
 */
export function stopAfterTurn({ turn, pauses }: RunState): StopReason | undefined {
  if (turn === undefined) return undefined;
  if (turn.calls.some((call) => call.result?.data.ends_run === true)) {
    return { type: "terminal_tool", message: "Done." };
  }
  if (turn.output !== undefined) return COMPLETED;
  if (turn.problem === "invalid_output") return { type: "invalid_output", message: UNFIT };
  if (turn.problem !== undefined) {
    return { type: "error", message: turn.problem === "no_tool_call" ? UNDECIDED : UNUSABLE };
  }
  if (turn.reminded || turn.continued) return undefined;
  switch (turn.stopReason) {
    case "tool_use":
      return turn.calls.length > 0 ? undefined : { type: "error", message: UNUSABLE };
    case "end_turn":
    case "stop_sequence":
      return COMPLETED;
    case "max_tokens":
      return { type: "max_tokens", message: "My answer was cut short. Please ask me to continue." };
    case "refusal":
      return REFUSAL;
    case "model_context_window_exceeded":
      return CONTEXT_WINDOW;
    case "pause_turn":
      return pauses > MAX_PAUSES ? { type: "pause_limit", message: UNFINISHED } : undefined;
    case null:
      return { type: "broken_off", message: "My answer was interrupted." };
    default:
      return { type: "error", message: UNUSABLE };
  }
}
