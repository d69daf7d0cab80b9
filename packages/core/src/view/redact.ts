import type { StoredOf } from "../log/event.ts";
import { REDACTED } from "../log/store/redacted.ts";
import { joinedText } from "./change.ts";
import { isQuestionPart } from "./question-part.ts";
import type { ViewMessage, ViewPart, ViewState } from "./view.ts";

/** Replaces the content of a redacted event in the messages, and in the last run. */
export function withoutRedacted(view: ViewState, event: StoredOf<"redaction">): ViewState {
  const { run } = view;
  const messages = redactedMessages(view.messages, event);
  if (run?.stop === undefined || run.id !== event.data.run_id) return { ...view, messages };
  return { ...view, messages, run: { ...run, stop: { ...run.stop, message: REDACTED } } };
}

function redactedMessages(messages: readonly ViewMessage[], { data }: StoredOf<"redaction">): ViewMessage[] {
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

function withoutValue({ key }: ViewPart): ViewPart {
  return { type: "output", key, open: false, value: REDACTED };
}

function redactedPart(
  part: ViewPart,
  { of, seq, attempt, call_id, run_id }: StoredOf<"redaction">["data"],
): ViewPart[] {
  if (part.key.startsWith(`${seq}:`) && of !== "tool_suspended") return [];
  if (part.type === "notice") return [part.key === `end:${run_id}` ? { ...part, text: REDACTED } : part];
  if (part.type === "output")
    return [part.key.startsWith(`${attempt}:`) && of === "output" ? withoutValue(part) : part];
  if (of === "assistant_message" && part.key.startsWith(`${attempt}:`)) return redactedAnswer(part);
  if (part.type !== "tool" || part.callId !== call_id) return [part];
  if (of === "tool_call") return [{ ...part, arguments: {} }];
  if (of === "tool_suspended") return [isQuestionPart(part) ? { ...part, arguments: REDACTED } : part];
  const said = of === "tool_result" || of === "tool_answered";
  return said && "result" in part ? [{ ...part, result: REDACTED }] : [part];
}

function redactedAnswer(part: ViewPart): ViewPart[] {
  if (part.type === "thinking" || part.type === "source") return [];
  if (part.type === "text") return [{ type: "text", key: part.key, text: REDACTED, open: false }];
  return part.type === "tool" ? [{ ...part, arguments: {} }] : [part];
}
