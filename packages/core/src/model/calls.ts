import type { EventData } from "../events/event.ts";
import type { SessionState } from "../session/state.ts";
import type { Answer } from "./accumulate.ts";
import { isToolUse } from "./content.ts";

/** The API takes longer ones, the keys of events that name the call do not. */
const ID = /^[a-zA-Z0-9_-]{1,512}$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * The calls to run, and how the answer breaks the model's contract, if it does: a `tool_use` stop without a call, or a
 * call whose id or name no later request could carry, or a call in an answer that it has paused. With any other stop
 * reason there are no calls, whatever the content looks like.
 */
export function toolCallsOf(
  answer: Answer,
  state: SessionState,
): { calls: EventData["tool_call"][]; breach: string | undefined } {
  if (answer.stopReason === "pause_turn" && answer.blocks.some(({ block }) => isToolUse(block))) {
    return { calls: [], breach: "The model paused its answer with a tool call in it." };
  }
  if (answer.stopReason !== "tool_use") return { calls: [], breach: undefined };
  const calls: EventData["tool_call"][] = [];
  const ids = new Set<string>();
  for (const { block, complete, invalid } of answer.blocks) {
    if (!isToolUse(block)) continue;
    const breach = breachOf(block.id, block.name, complete, ids.has(block.id) || state.calls.has(block.id));
    if (breach !== undefined) return { calls: [], breach };
    ids.add(block.id);
    calls.push({
      tool_name: block.name,
      arguments: block.input,
      call_id: block.id,
      ...(invalid !== undefined && { invalid }),
    });
  }
  return calls.length > 0
    ? { calls, breach: undefined }
    : { calls, breach: "The model stopped to use a tool and called none." };
}

function breachOf(id: unknown, name: unknown, complete: boolean, repeated: boolean): string | undefined {
  if (!complete) return "The model stopped to use a tool and did not finish the call.";
  if (repeated) return `The model used the tool call id ${id} twice.`;
  if (typeof id !== "string" || !ID.test(id)) return "The model made up an impossible tool call id.";
  if (typeof name !== "string" || !NAME.test(name)) return "The model called a tool by an impossible name.";
  return undefined;
}
