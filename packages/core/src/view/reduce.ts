import { usdFromCents } from "../base/usd.ts";
import type { StoredOf } from "../log/event.ts";
import { expiryOf, waitsForTime } from "../log/expiry.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { REDACTED } from "../log/store/redacted.ts";
import { usageOf } from "../log/tokens.ts";
import { inAssistant, inCall, isOpen, saidAfter, withDelta } from "./change.ts";
import { partsOf, retryInView, withoutRedacted, withUserMessage } from "./messages.ts";
import { outcomeParts } from "./outcome.ts";
import { outputDelta, storedOutput } from "./output.ts";
import { questionPart } from "./question-part.ts";
import { takeUp } from "./run-message.ts";
import type { ToolPhase, ViewState } from "./view.ts";

/**
 * Applies one event to a view and returns the new view. Shares unchanged parts with the old view, which is
 * not modified. Stored events up to `view.cursor` are ignored.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { newView, reduceView } from "@pawl/core/view";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "a1" });
 *
 * const view = (await Array.fromAsync(store.read("s1"))).reduce(reduceView, newView());
 * console.log(view.messages[0]?.role, view.messages[0]?.text); // user Hi
 * ```
 */
export function reduceView(view: ViewState, event: SessionEvent): ViewState {
  if (!("seq" in event)) return reduceLive(view, event);
  if (event.seq <= view.cursor) return view;
  return { ...reduceStored(view, event), cursor: event.seq };
}

function reduceStored(view: ViewState, event: SessionEvent & { seq: number }): ViewState {
  switch (event.type) {
    case "user_message":
      return { ...view, messages: withUserMessage(view.messages, event) };
    case "run_started":
      return beginRunInView(view, event);
    case "llm_request":
      return takeUp(withoutOpen(view), event);
    case "run_recovered":
      return withoutOpen(view);
    case "assistant_message":
      return inAssistant(view, (parts) => [
        ...parts.filter((part) => !part.key.startsWith(`${event.data.attempt}:`)),
        ...partsOf(event.data),
      ]);
    case "output":
      return storedOutput(view, event);
    case "artifact":
      return withArtifact(view, event);
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      return isHiddenWait(event) ? view : reduceCall(view, event);
    case "run_suspended":
      return suspendInView(view, event);
    case "run_ended":
      return endRunInView(view, event);
    case "redaction":
      return withoutRedacted(view, event);
    default:
      return view;
  }
}

function beginRunInView(view: ViewState, event: StoredOf<"run_started">): ViewState {
  const { run_id: id, retry_of } = event.data;
  if (retry_of !== undefined && retry_of === view.run?.id) return retryInView(view, event);
  return { ...view, run: { id, seq: event.seq, open: true } };
}

/** Marks the run as not in progress, unless it waits only for a time. */
function suspendInView(view: ViewState, { data }: StoredOf<"run_suspended">): ViewState {
  if (waitsForTime(data)) return view;
  return { ...view, runningTools: {}, run: view.run && { ...view.run, open: false } };
}

function reduceLive(view: ViewState, event: SessionEvent): ViewState {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return inAssistant(view, (parts) =>
        withDelta(parts, event.type === "text_delta" ? "text" : "thinking", event.data),
      );
    case "output_delta":
      return outputDelta(view, event);
    case "tool_progress":
      return inCall(view, event.data.call_id, { progress: event.data.data }, isRunning);
    case "agent_delta":
      return inCall(view, event.data.call_id, ({ said }) => saidAfter(said, event.data), isRunning);
    case "attempt_restarted":
      return withoutOpen(view);
    default:
      return view;
  }
}

/** Shows an artifact, unless it was redacted. */
function withArtifact(view: ViewState, { seq, data: artifact }: StoredOf<"artifact">): ViewState {
  if (artifact.title === REDACTED) return view;
  return inAssistant(view, (parts) => [...parts, { type: "artifact", key: `${seq}:artifact`, artifact }]);
}

function isRunning({ phase }: { phase: ToolPhase }): boolean {
  return phase === "running";
}

/** Removes the parts that are still being written, because their attempt is over. */
function withoutOpen(view: ViewState): ViewState {
  return inAssistant(view, (parts) => parts.filter((part) => !isOpen(part)), false);
}

type CallEvent = StoredOf<"tool_started" | "tool_suspended" | "tool_answered" | "tool_result">;

/** Returns whether the event belongs to a call that waits for a time. The view shows that call as running. */
function isHiddenWait({ data }: CallEvent): boolean | undefined {
  return "hidden" in data && data.hidden;
}

/** Applies an event of a tool call, or of a hook's question about the run. */
function reduceCall(view: ViewState, event: CallEvent): ViewState {
  const { call_id: callId, tool_name: toolName } = event.data;
  const { [callId]: _, ...others } = view.runningTools;
  const pending = view.pending.filter((question) => question.callId !== callId);
  switch (event.type) {
    case "tool_started":
      return {
        ...inCall(view, callId, { phase: "running", ...statusField(event.data.status) }),
        runningTools: { ...view.runningTools, [callId]: toolName },
      };
    case "tool_suspended": {
      const { kind, payload, answer_schema: answerSchema, client_tool: clientTool, before } = event.data;
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
      };
      const shown = before
        ? inAssistant(view, (parts) => [...parts, questionPart(event)])
        : inCall(view, callId, { phase: "waiting" });
      return { ...shown, pending: [...pending, question] };
    }
    case "tool_answered":
      return {
        ...inCall(view, callId, { ...answeredPhase(event.data), resultSeq: event.seq }),
        pending,
        run: view.run && { ...view.run, open: true },
      };
    case "tool_result":
      return {
        ...inAssistant(
          inCall(view, callId, {
            phase: event.data.success && event.data.skipped !== "closed" ? "done" : "error",
            result: event.data.result,
            resultSeq: event.seq,
            ...statusField(event.data.status),
          }),
          (parts) => [...parts, ...outcomeParts(event)],
        ),
        runningTools: others,
        pending,
      };
  }
}

/** Returns the phase and the result of a call after the answer to its question. */
function answeredPhase({ value, error, closed }: StoredOf<"tool_answered">["data"]) {
  if (closed !== undefined) return { phase: "error" as const, result: { answered: false, reason: closed } };
  return error === undefined
    ? { phase: "done" as const, result: value }
    : { phase: "error" as const, result: error };
}

function statusField(text: string | undefined): { status?: string } {
  return text === undefined ? {} : { status: text };
}

/** Types of stop reasons for which the view shows no notice. */
const QUIET: readonly string[] = ["end_turn", "terminal_tool", "interrupted", "suspended"];

function endRunInView(view: ViewState, event: StoredOf<"run_ended">): ViewState {
  const { run_id: id, stop, session_status, tokens, cost_cents } = event.data;
  const usage = { ...usageOf(tokens), costUsd: usdFromCents(cost_cents) };
  const run = view.run && { ...view.run, usage };
  const isQuiet = QUIET.includes(stop.type);
  const ended = inAssistant(
    { ...view, run, runningTools: {}, pending: [] },
    (parts) => {
      const complete = parts.filter((part) => !isOpen(part));
      return isQuiet
        ? complete
        : [...complete, { type: "notice", key: `end:${id}`, text: stop.message, stop: stop.type }];
    },
    !isQuiet,
  );
  return {
    ...ended,
    run: run && { ...run, open: false, stop, failed: session_status === "error" },
  };
}
