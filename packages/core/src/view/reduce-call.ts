import type { Json } from "../base/json.ts";
import type { StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { expiryOf } from "../log/expiry.ts";
import { changeCallPart, changeRunMessage } from "./change.ts";
import { outcomeParts } from "./outcome.ts";
import { answered, openQuestion, questionPart, type ToolPart } from "./question-part.ts";
import type { ViewState } from "./view.ts";

/** An event of a tool call, or of a hook's question about the run. */
export type CallEvent = StoredOf<"tool_started" | "tool_suspended" | "tool_answered" | "tool_result">;

/** Applies an event of a tool call, or of a hook's question about the run. */
export function reduceCall(view: ViewState, event: CallEvent): ViewState {
  // A call that waits for a time is shown as running.
  if ("hidden" in event.data && event.data.hidden) return view;
  const { call_id: callId, tool_name: toolName } = event.data;
  const pending = view.pending.filter((question) => question.callId !== callId);
  switch (event.type) {
    case "tool_started":
      return {
        ...changeCallPart(view, callId, {
          phase: "running",
          ...callFields(event.data),
        }),
        runningTools: { ...view.runningTools, [callId]: toolName },
      };
    case "tool_suspended": {
      const {
        kind,
        payload,
        answer_schema: answerSchema,
        client_tool: clientTool,
        before,
        changed,
      } = event.data;
      const expires = expiryOf(event);
      const question = {
        callId,
        toolName,
        kind,
        payload,
        answerSchema,
        seq: event.seq,
        ...(expires && { expires }),
        ...(clientTool && { clientTool }),
        ...(changed && { changed }),
      };
      const shown = before
        ? changeRunMessage(view, (parts) => [...parts, questionPart(event)])
        : changeCallPart(view, callId, ({ questions = [] }) => ({
            phase: "waiting",
            questions: [...questions, openQuestion(event)],
            ...callFields(event.data),
          }));
      return { ...shown, pending: [...pending, question] };
    }
    case "tool_answered":
      return {
        ...changeCallPart(view, callId, (part) => answered(part, event)),
        pending,
        run: view.run && { ...view.run, open: true },
      };
    case "tool_result": {
      const { [callId]: _, ...runningTools } = view.runningTools;
      return {
        ...changeRunMessage(
          changeCallPart(view, callId, {
            phase: event.data.skipped ? "skipped" : event.data.success ? "done" : "error",
            result: event.data.result,
            resultSeq: event.seq,
            ...callFields(event.data),
          }),
          (parts) => [...parts, ...outcomeParts(event)],
        ),
        runningTools,
        pending,
      };
    }
  }
}

/**
 * Returns the fields that an event brings: the status text, and an input that a hook shows to pages. A hook's
 * own question brings no input: later hooks may still change it.
 */
function callFields({ by, input, status, input_for }: CallFields): Partial<ToolPart> {
  return {
    ...(status !== undefined && { status }),
    ...(input_for === "all" && !by && { input: input as Json }),
  };
}

type CallFields = Partial<
  Pick<EventData["tool_started"] & EventData["tool_suspended"], "status" | "input" | "input_for" | "by">
>;
