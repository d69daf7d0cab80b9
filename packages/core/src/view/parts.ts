import { echoable } from "../context/echoable.ts";
import type { EventData } from "../log/event-data.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import { isText, isToolUse } from "../model/content.ts";
import { citationsIn, foundParts } from "./outcome.ts";
import type { ViewPart } from "./view.ts";

/**
 * Converts a stored answer to view parts. If the answer was cut off, the parts show only the blocks that
 * later requests contain. The run's output is left out: the event `output` shows it.
 */
export function partsOf(data: EventData["assistant_message"]): ViewPart[] {
  return echoable(data).flatMap((block): ViewPart[] => {
    const key = `${data.attempt}:${data.content.indexOf(block)}`;
    if (isText(block) && data.output === "text") return [];
    if (isText(block)) return [{ type: "text", key, text: block.text, open: false, ...citationsIn(block) }];
    if (block.type === "thinking" && block.thinking !== "") {
      return [{ type: "thinking", key, text: String(block.thinking), open: false }];
    }
    if (block.type.startsWith("web_")) return foundParts(block, key);
    if (!isToolUse(block) || (data.output === "call" && block.name === FINAL_ANSWER)) return [];
    const { id: callId, name: toolName, input } = block;
    return [{ type: "tool", key, callId, toolName, phase: "running", arguments: input }];
  });
}
