import type { Json, SessionEvent } from "@pawl/core";
import type { ToolPart, ViewState } from "@pawl/core/view";
import type { EncoderContext } from "../base/dialect.ts";
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
 * Returns a function that says whether an event, or one before it, has changed the input of a call. Clients
 * can only learn this from a snapshot. None is due before the view has the message of the request: a
 * snapshot without it would remove it from the page.
 */
export function newInputs({ before: first, runId }: EncoderContext) {
  let hasMessage = first.run?.id === runId;
  let isChanged = false;
  return (event: SessionEvent, views: Views): boolean => {
    hasMessage ||= event.type !== "run_started" && views.view.run?.id === runId;
    isChanged ||= changesInput(event, views);
    if (!isChanged || !hasMessage) return false;
    isChanged = false;
    return true;
  };
}

/**
 * Returns whether an event changes the input that a thread shows of a call, e.g. because a hook has changed
 * it.
 */
function changesInput(event: SessionEvent, { before, view }: Views): boolean {
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
