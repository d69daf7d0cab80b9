import type { Json, SessionEvent } from "@pawl/core";
import type { ToolPart, ViewState } from "@pawl/core/view";
import { isFrontendCall } from "./ag-ui-frontend-tools.ts";

/** A session before an event and after it. */
export interface Views {
  before: ViewState;
  view: ViewState;
}

/**
 * Returns the input that a thread shows of a call. A frontend tool runs with it, so while the page is asked
 * to run the call, it is what the page is asked to run.
 */
export function threadInput(part: Omit<ToolPart, "type">, { pending }: Pick<ViewState, "pending">): Json {
  const { callId, arguments: written, input = written } = part;
  const asked = pending.find((question) => question.callId === callId && isFrontendCall(question));
  return asked === undefined ? input : asked.payload;
}

/**
 * Returns whether an event changes the input that a thread shows of a call, e.g. because a hook has changed
 * it. Clients can only learn this from a snapshot.
 */
export function changesInput(event: SessionEvent, { before, view }: Views): boolean {
  if (!CALL_EVENTS.includes(event.type)) return false;
  const { call_id: callId } = event.data as { call_id: string };
  const inputIn = (one: ViewState) => {
    const parts = one.messages.flatMap((message) => message.parts);
    const call = parts.findLast((part) => part.type === "tool" && part.callId === callId);
    return call?.type === "tool" ? JSON.stringify(threadInput(call, one)) : undefined;
  };
  const known = inputIn(before);
  return known !== undefined && known !== inputIn(view);
}

const CALL_EVENTS: readonly string[] = ["tool_started", "tool_suspended", "tool_answered", "tool_result"];
