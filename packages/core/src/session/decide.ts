import { firstStop, type StopCondition } from "../stop/stop-condition.ts";
import type { StopReason } from "../stop/stop-reason.ts";
import { isPutOff, queuedMessages } from "./queued.ts";
import { type CallState, isWaiting, openRun, type RunState, type SessionState, unanswered } from "./state.ts";

/** What a leg does next. */
export type Next =
  | { do: "model" }
  | { do: "tools"; calls: CallState[] }
  | { do: "suspend"; pending: CallState[] }
  | { do: "overtake" }
  | { do: "end"; stop: StopReason }
  | { do: "nothing" };

/** Recoveries in a row that may come to nothing before the run is given up. */
const MAX_RECOVERIES = 3;

/** The next step of the session's open run: a pure function of the log, the same in the first leg and the last. */
export function decide(state: SessionState, stopWhen: readonly StopCondition[], aborted: boolean): Next {
  const run = openRun(state);
  if (run === undefined) return { do: "nothing" };
  if (run.interrupted && !run.stopRequested) return end("interrupted", "The user wrote something else.");
  if (run.stopRequested || aborted) return end("aborted", "Stopped.");
  if (run.recoveries > MAX_RECOVERIES) {
    return end("crash_loop", "Something goes wrong every time I try this. Please try something else.");
  }
  const open = unanswered(run);
  const pending = open.filter(isWaiting);
  if (open.length > pending.length) return { do: "tools", calls: open.filter((call) => !isWaiting(call)) };
  if (pending.length > 0) {
    return queuedMessages(state).length > 0 ? { do: "overtake" } : { do: "suspend", pending };
  }
  const over = afterTurn(run);
  if (over !== undefined && !isPutOff(state, over)) return { do: "end", stop: over };
  const limit = firstStop(stopWhen, run);
  return limit === undefined ? { do: "model" } : { do: "end", stop: over ?? limit };
}

/** Whether the last turn was the last one. Its stop reason is the authority, never what the content looks like. */
function afterTurn({ turn }: RunState): StopReason | undefined {
  if (turn === undefined) return undefined;
  if (turn.calls.some((call) => call.result?.data.ends_run === true)) {
    return { type: "terminal_tool", message: "Done." };
  }
  switch (turn.stopReason) {
    case "tool_use":
      return turn.calls.length > 0
        ? undefined
        : { type: "error", message: "The model's answer could not be used. Please try again." };
    case "end_turn":
    case "stop_sequence":
      return { type: "end_turn", message: "Done." };
    case "max_tokens":
      return { type: "max_tokens", message: "My answer was cut short. Please ask me to continue." };
    case "refusal":
      return { type: "refusal", message: "I cannot help with this." };
    case "model_context_window_exceeded":
      return { type: "context_window", message: "This conversation has become too long to go on with." };
    case null:
      return { type: "interrupted", message: "My answer was interrupted." };
    default:
      return { type: "error", message: `The model stopped for a reason I do not know (${turn.stopReason}).` };
  }
}

function end(type: StopReason["type"], message: string): Next {
  return { do: "end", stop: { type, message } };
}
