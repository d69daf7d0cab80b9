import type { ViewMessage } from "@pawl/core";
import { DEFAULT_TYPE } from "../../src/sessions/session-types.ts";
import { callsDone, fieldsOf, textIn } from "../seam.ts";
import { labelOf } from "./kinds.ts";

export interface LabelProps {
  messages: readonly ViewMessage[];
  /** What the session was begun as, if that is known and was said. */
  type: string | undefined;
}

/** What kind of conversation this is, and the arc that it is in. */
export function Label({ messages, type = DEFAULT_TYPE }: LabelProps) {
  if (messages.length === 0) return null;
  const arc = activeArc(messages);
  const isUsual = arc === undefined && type === DEFAULT_TYPE;
  return (
    <p className={`session-label ${isUsual ? "session-label-usual" : ""}`} data-testid="session-label">
      <span className={arc === undefined ? "" : "session-label-around"}>{labelOf(type)}</span>
      {arc !== undefined && <span className="session-label-arc">{labelOf(arc)}</span>}
    </p>
  );
}

/** The arc that was entered and is not complete: the last of these calls says. */
export function activeArc(messages: readonly ViewMessage[]): string | undefined {
  const last = callsDone(messages).findLast(({ toolName, arguments: input, result }) => {
    if (toolName === "enter_structured_arc") return textIn(fieldsOf(result).arc) !== undefined;
    return (
      toolName === "complete_session" &&
      fieldsOf(result).success === true &&
      fieldsOf(input).type !== undefined
    );
  });
  return last?.toolName === "enter_structured_arc" ? textIn(fieldsOf(last.result).arc) : undefined;
}
