import { usdFromCents } from "../base/usd.ts";
import type { StoredOf } from "../log/event.ts";
import { addMs, waitsForTime } from "../log/expiry.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { REDACTED } from "../log/store/redacted.ts";
import { usageOf } from "../log/tokens.ts";
import { changeCallPart, changeRunMessage, isOpen, subAgentTextAfter, withDelta } from "./change.ts";
import { partsOf, retryInView, withoutRedacted, withUserMessage } from "./messages.ts";
import { outputDelta, storedOutput } from "./output.ts";
import { artifactPart, dataPart } from "./part-list.ts";
import { reduceCall } from "./reduce-call.ts";
import { markMessagesRead, withoutQueue } from "./run-message.ts";
import type { ToolPhase, ViewPart, ViewRun, ViewState } from "./view.ts";

/**
 * Applies one event to a view and returns the new view. Shares unchanged parts with the old view, which is
 * not modified. Stored events up to `view.cursor` are ignored. Copies the list of messages: to fold many
 * events, use `foldView`.
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
 * let view = newView();
 * for await (const event of store.read("s1")) view = reduceView(view, event);
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
      // A failed attempt is logged with the request that repeats it after the wait.
      return markMessagesRead(withoutOpen(event.data.retry_of === undefined ? afterWait(view) : view), event);
    case "error":
      return waitInView(view, event);
    case "run_recovered":
      return withoutOpen(view);
    case "assistant_message":
      return changeRunMessage(afterWait(view), (parts) => [
        ...parts.filter((part) => !part.key.startsWith(`${event.data.attempt}:`)),
        ...partsOf(event.data),
      ]);
    case "output":
      return storedOutput(view, event);
    case "artifact":
      // A redacted one is not shown.
      return event.data.title === REDACTED ? view : putPart(view, artifactPart(event));
    case "data_part":
      return putPart(view, dataPart(event));
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      return reduceCall(view, event);
    case "run_suspended":
      return suspendInView(view, event);
    case "run_ended":
      return endRunInView(afterWait(view), event);
    case "checkpoint":
      return withLeftOut(view, event);
    case "redaction":
      return withoutRedacted(view, event);
    default:
      return view;
  }
}

function beginRunInView(view: ViewState, event: StoredOf<"run_started">): ViewState {
  const { run_id: id, retry_of } = event.data;
  if (retry_of !== undefined && retry_of === view.run?.id) return retryInView(view, event);
  const { seq } = event;
  // A run picks up all messages before it. A retry picks them up with its request.
  const messages = withoutQueue(view.messages, retry_of ? 0 : seq);
  return { ...view, messages, run: { id, seq, open: true } };
}

/** The shortest wait that is shown, in milliseconds. */
const SHOWN_WAIT_MS = 5_000;

/** Shows until when the run waits, if its model is asked again later. */
function waitInView(view: ViewState, { at, data }: StoredOf<"error">): ViewState {
  const { will_retry, retry_in_ms: ms } = Object(data.context);
  if (!will_retry || !(ms >= SHOWN_WAIT_MS) || !view.run) return view;
  return { ...view, run: { ...view.run, retryAt: addMs(at, ms) } };
}

function afterWait(view: ViewState): ViewState {
  const { retryAt, ...run } = view.run ?? {};
  return retryAt === undefined ? view : { ...view, run: run as ViewRun };
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
      return changeRunMessage(view, (parts) =>
        withDelta(parts, event.type === "text_delta" ? "text" : "thinking", event.data),
      );
    case "output_delta":
      return outputDelta(view, event);
    case "tool_progress":
      return changeCallPart(view, event.data.call_id, { progress: event.data.data }, isRunning);
    case "agent_delta":
      return changeCallPart(
        view,
        event.data.call_id,
        ({ said }) => subAgentTextAfter(said, event.data),
        isRunning,
      );
    case "attempt_restarted":
      return withoutOpen(view);
    default:
      return view;
  }
}

/** Adds a part to the run's message, or replaces the one that has its key. */
function putPart(view: ViewState, part: ViewPart): ViewState {
  return changeRunMessage(view, (parts) => {
    const at = parts.findIndex(({ key }) => key === part.key);
    return at < 0 ? [...parts, part] : parts.with(at, part);
  });
}

/** Shows that refused content was left out. Thinking is no part of the conversation. */
function withLeftOut(view: ViewState, { seq, data: { refused } }: StoredOf<"checkpoint">): ViewState {
  if (refused === undefined || refused.by === "signature") return view;
  return changeRunMessage(view, (parts) => [
    ...parts,
    { type: "left_out", key: `${seq}:left_out`, by: refused.by },
  ]);
}

function isRunning({ phase }: { phase: ToolPhase }): boolean {
  return phase === "running";
}

/** Removes the parts that are still being written, because their attempt is over. */
function withoutOpen(view: ViewState): ViewState {
  return changeRunMessage(view, (parts) => parts.filter((part) => !isOpen(part)), false);
}

/** Types of stop reasons for which the view shows no notice. */
const QUIET: readonly string[] = ["end_turn", "terminal_tool", "interrupted", "suspended"];

function endRunInView(view: ViewState, event: StoredOf<"run_ended">): ViewState {
  const { run_id: id, stop, session_status, tokens, cost_cents } = event.data;
  const usage = { ...usageOf(tokens), costUsd: usdFromCents(cost_cents) };
  const run = view.run && { ...view.run, usage };
  const isQuiet = QUIET.includes(stop.type);
  const ended = changeRunMessage(
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
