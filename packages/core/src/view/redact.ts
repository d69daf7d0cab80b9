import type { StoredOf } from "../log/event.ts";
import { REDACTED } from "../log/redacted.ts";
import { joinedText } from "./change.ts";
import type { ViewMessage, ViewPart } from "./view.ts";

/** Replaces the content of a redacted event in the messages. */
export function withoutRedacted(
  messages: readonly ViewMessage[],
  { data }: StoredOf<"redaction">,
): ViewMessage[] {
  return messages.map((message) => {
    if (message.role === "user" && message.seq !== data.seq) return message;
    const parts =
      message.role === "user"
        ? [{ type: "text" as const, key: message.id, text: REDACTED, open: false }]
        : message.parts.flatMap((part) => redactedPart(part, data));
    const text = message.role === "user" ? REDACTED : joinedText(parts);
    return { ...message, text, parts };
  });
}

function redactedPart(part: ViewPart, { of, attempt, call_id }: StoredOf<"redaction">["data"]): ViewPart[] {
  if (of === "assistant_message" && part.key.startsWith(`${attempt}:`)) {
    if (part.type === "thinking") return [];
    if (part.type === "text") return [{ ...part, text: REDACTED }];
    return part.type === "tool" ? [{ ...part, arguments: {} }] : [part];
  }
  if (part.type !== "tool" || part.callId !== call_id) return [part];
  if (of === "tool_call") return [{ ...part, arguments: {} }];
  const said = of === "tool_result" || of === "tool_answered";
  return said && "result" in part ? [{ ...part, result: REDACTED }] : [part];
}
