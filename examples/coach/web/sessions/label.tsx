import type { ViewMessage } from "@pawl/core/view";
import { DEFAULT_TYPE } from "../../src/sessions/session-types.ts";
import { callsDone, fieldsOf, textIn } from "../base/seam.ts";
import { labelOf } from "./kinds.ts";

export interface LabelProps {
  messages: readonly ViewMessage[];
  /** The type with which the session began. `""` if it has none; `undefined` while it is loading. */
  type: string | undefined;
}

/** Shows the kind of this conversation, and its current arc. */
export function Label({ messages, type: begun }: LabelProps) {
  const arc = activeArc(messages);
  if (messages.length === 0 || (begun === undefined && arc === undefined)) return null;
  const type = begun === "" ? DEFAULT_TYPE : begun;
  const isUsual = arc === undefined && type === DEFAULT_TYPE;
  return (
    <p className={`session-label ${isUsual ? "session-label-usual" : ""}`} data-testid="session-label">
      {type !== undefined && (
        <span className={arc === undefined ? "" : "session-label-around"}>{labelOf(type)}</span>
      )}
      {arc !== undefined && <span className="session-label-arc">{labelOf(arc)}</span>}
    </p>
  );
}

/** Returns the arc in progress. */
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
