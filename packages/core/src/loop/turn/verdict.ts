import type { Agent } from "../../agent/agent.ts";
import { clipText } from "../../base/clip-text.ts";
import { PawlError } from "../../base/errors.ts";
import type { EventData } from "../../log/event-data.ts";
import { isCode } from "../../model/answering.ts";
import { isToolUse } from "../../model/content.ts";
import type { Reply } from "../../model/reply.ts";
import { unknownFieldErrors } from "../../model/usage-so-far.ts";
import { hasCall } from "../../session/given-up.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Attempt } from "../leg/attempt.ts";
import type { Verdict } from "../leg/flow-parts.ts";

/** The stop reasons that Pawl knows. Any other one ends the run, because its meaning is unknown. */
const KNOWN: readonly (string | null)[] = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "refusal",
  "pause_turn",
  "model_context_window_exceeded",
];

/**
 * Judges a complete answer: returns its calls, and a reminder for the model or a problem, if there is one.
 */
export function verdictOn(
  { answer, request }: Attempt,
  state: SessionState,
  { toolOnly, output }: Pick<Agent, "toolOnly" | "output">,
): Verdict {
  const { calls, breach } = toolCallsOf(answer, state);
  if (breach !== undefined) return { calls, problem: { code: "contract_violation", message: breach } };
  if (answer.cut) {
    const message = `The model wrote past max_tokens (${request.params.max_tokens}), so its answer was cut.`;
    return { calls, problem: { code: "overlong_answer", message } };
  }
  if (!KNOWN.includes(answer.stopReason)) {
    const message = `The model stopped for an unknown reason: ${clipText(answer.stopReason ?? "", 200)}`;
    return { calls, problem: { code: "unknown_stop_reason", message } };
  }
  const choice = request.params.tool_choice?.type;
  // A turn without tools needs no tool call, nor does an answer that code gives, e.g. by `answering()`.
  if (choice === "none" || isCode(request.model)) return { calls };
  if (!toolOnly) return { calls };
  if (!isCompleted(answer)) return { calls: onlyFirst(calls) };
  // An answer without a call has no output, see `outputVerdict`.
  if (output !== undefined) return { calls };
  const isForced = choice === "any" || choice === "tool";
  return withoutCall(calls, isForced || openRun(state)?.reminded === true, REMINDER);
}

/** Returns a reminder for an answer without a call; a problem if no reminder may follow. */
export function withoutCall(calls: Verdict["calls"], isOver: boolean, text: string): Verdict {
  if (!isOver) return { calls, reminder: { text, reminder: true } };
  return { calls, problem: { code: "no_tool_call", message: "The model answered without calling a tool." } };
}

export function isCompleted({ stopReason }: Pick<Reply, "stopReason">): boolean {
  return stopReason === "end_turn" || stopReason === "stop_sequence";
}

const REMINDER =
  "You answered without calling a tool. Nobody reads what you write outside of a tool call. Call exactly one tool now.";

/** Returns the calls, all but the first one marked as not to be run. */
function onlyFirst([first, ...others]: EventData["tool_call"][]): EventData["tool_call"][] {
  if (first === undefined) return [];
  const invalid = `Not run: one tool is called at a time, and "${first.tool_name}" came first.`;
  return [first, ...others.map((call) => ({ ...call, invalid, skipped: "surplus" }))];
}

/**
 * Matches the valid ids of calls. The API accepts longer ids, but event keys contain the ids, so their length
 * is limited.
 */
const ID = /^[a-zA-Z0-9_-]{1,512}$/;

/** The length at which the name of a call is cut, in characters. No tool has such a long name. */
const LONGEST_TOOL_NAME = 200;

/**
 * Returns the calls to run. Only an answer with the stop reason `tool_use` has calls to run. `breach`
 * describes a violation of the model's contract: a `tool_use` stop without a call, an unfinished call, a call
 * with an invalid or repeated id, or a call in a paused answer. A name that no tool can have is no violation:
 * the model is told that there is no such tool.
 */
function toolCallsOf(
  answer: Reply,
  state: SessionState,
): { calls: EventData["tool_call"][]; breach?: string } {
  if (answer.stopReason === "pause_turn" && answer.blocks.some(({ block }) => isToolUse(block))) {
    return { calls: [], breach: "The model paused its answer with a tool call in it." };
  }
  if (answer.stopReason !== "tool_use") return { calls: [] };
  const calls: EventData["tool_call"][] = [];
  const ids = new Set<string>();
  for (const { block, part, complete, invalid } of answer.blocks) {
    if (!isToolUse(block)) continue;
    const breach = breachOf(block.id, complete, ids.has(block.id) || hasCall(state, block.id));
    if (breach !== undefined) return { calls: [], breach };
    ids.add(block.id);
    calls.push({
      // The name that the model wrote. The block may have another one, which APIs accept.
      tool_name: clipText(part?.tool?.tool_name ?? block.name, LONGEST_TOOL_NAME),
      arguments: block.input,
      call_id: block.id,
      ...(invalid !== undefined && { invalid }),
    });
  }
  if (calls.length > 0) return { calls };
  return { calls, breach: "The model stopped to use a tool and called none." };
}

/** Returns how a call violates the model's contract; `undefined` if it does not. */
function breachOf(id: unknown, complete: boolean, repeated: boolean): string | undefined {
  if (!complete) return "The model stopped to use a tool and did not finish the call.";
  if (repeated) return `The model used the tool call id ${id} twice.`;
  if (typeof id !== "string" || !ID.test(id)) return "The model sent an invalid tool call id.";
  return undefined;
}

/** Returns what the developer should know about an answer, although the run goes on. */
export function toFixIn(answer: Reply): PawlError[] {
  const { blocks, stopReason, usage } = answer;
  const call = isCompleted(answer) ? blocks.find(({ block }) => isToolUse(block))?.block : undefined;
  const toFix = unknownFieldErrors(usage);
  if (call) {
    const message = `The model ended its answer (${stopReason}) with a call of "${call.name}". It was not run.`;
    toFix.push(new PawlError("model_error", message));
  }
  return toFix;
}
