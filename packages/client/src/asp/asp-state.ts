import type { ViewPart, ViewState } from "@pawl/core/view";
import type { AgentFailure, Phase } from "../state/agent-state.ts";
import { type AspView, isCall, withParts } from "./asp-view.ts";

/** A call of a tool, as a message of an {@link AspView} has it. `callId` is its `tool_use_id`. */
export type AspCall = Extract<ViewPart, { type: "tool" }>;

/** A request that failed, and why. */
export interface AspFailure extends AgentFailure {
  /** The response's status, e.g. 402. Absent if there was no response. */
  status?: number;
  /** The JSON of the response that refused the request, e.g. that of the server's `admit`. */
  body?: unknown;
  /** Seconds to wait before the next request, if the response says so. */
  retryAfterS?: number;
}

/** The state of a conversation over ASP v2, for display. Immutable: each change makes a new object. */
export interface AspState extends AspView {
  /** Id of the session; `undefined` until the first message of a new session is accepted. */
  sessionId: string | undefined;
  /** What the conversation is doing. */
  phase: Exclude<Phase, "completing">;
  /** Whether the session's history is being loaded. */
  loading: boolean;
  /** The calls that wait for the user's answers. */
  pending: AspCall[];
  /** The names of the running tools by call id, e.g. for a progress indicator. */
  runningTools: Readonly<Record<string, string>>;
  /** The last failure. Cleared by the next message, answer or retry, or by opening a session. */
  error: AspFailure | undefined;
}

/** The facts from which a conversation's state is derived. */
export interface AspFacts {
  view: AspView;
  sessionId: string | undefined;
  /** Whether a request is in flight that begins or continues a run. */
  submitting: boolean;
  /** Whether a turn is being read. */
  reading: boolean;
  loading: boolean;
  error: AspFailure | undefined;
}

/** Derives the state from the facts. */
export function aspStateOf(facts: AspFacts): AspState {
  const { view, sessionId, loading, error } = facts;
  const pending = pendingOf(facts);
  const calls = facts.reading ? (view.messages.at(-1)?.parts.filter(isCall) ?? []) : [];
  const running = calls.filter(({ phase }) => phase === "running");
  const runningTools = Object.fromEntries(running.map(({ callId, toolName }) => [callId, toolName]));
  const phase = phaseOf(facts, pending.length > 0, running.length > 0);
  return { ...view, sessionId, loading, error, pending, runningTools, phase };
}

function pendingOf({ view }: AspFacts): AspCall[] {
  if (view.turn !== "paused") return [];
  const calls = view.messages.at(-1)?.parts.filter(isCall) ?? [];
  return calls.filter(({ phase }) => phase === "waiting");
}

function phaseOf(
  { view, submitting, reading, error }: AspFacts,
  isPending: boolean,
  isRunning: boolean,
): AspState["phase"] {
  if (submitting) return "submitting";
  if (reading) {
    const last = view.messages.at(-1)?.parts.at(-1);
    const isWriting = last?.type === "text" && last.open;
    return isRunning && !isWriting ? "toolExecuting" : "streaming";
  }
  if (isPending) return "suspended";
  return error !== undefined || view.stopReason === "error" ? "error" : "idle";
}

/** Returns the view after a user's message. It cancels what waited for an answer. */
export function withUserMessage(view: AspView, { id, text }: { id: string; text: string }): AspView {
  const messages = view.messages.map((message) =>
    message.parts.some(isWaiting) ? withParts(message, message.parts.map(cancelled)) : message,
  );
  const part: ViewPart = { type: "text", key: id, text, open: false };
  const message = { id, role: "user", text, parts: [part], seq: 0 } as const;
  return { messages: [...messages, { ...message, parts: [part] }], turn: "ended", stopReason: undefined };
}

function isWaiting(part: ViewPart): boolean {
  return isCall(part) && part.phase === "waiting";
}

/** As the server's result of such a call says it. */
const SUPERSEDED = "the user wrote a new message instead of answering.";

function cancelled(part: ViewPart): ViewPart {
  return isWaiting(part)
    ? ({ ...part, phase: "skipped", result: { answered: false, reason: SUPERSEDED } } as ViewPart)
    : part;
}

/** Returns the view before a retry, which continues the last message after its last call. */
export function beforeRetry(view: AspView): AspView {
  return continued(view, (parts) => parts.findLastIndex(isCall));
}

/** Returns a session's stored view as the view of an ASP client. */
export function fromStored({ messages, pending, run }: ViewState): AspView {
  if (pending.length > 0) return { messages, turn: "paused", stopReason: "tool_use" };
  if (run === undefined) return { messages, turn: "none", stopReason: undefined };
  return { messages, turn: "ended", stopReason: run.failed === true ? "error" : run.stop?.type };
}

/** Returns the view before the output of a session's open run, which the server sends once more. */
export function beforeOutput(view: AspView, { seq }: { seq: number }): AspView {
  return continued(view, (parts) =>
    parts.findLastIndex((part) => isCall(part) && part.resultSeq !== undefined && part.resultSeq < seq),
  );
}

/** Removes the parts of the last answer after a place. The next turn continues what is left. */
function continued(view: AspView, lastOf: (parts: ViewPart[]) => number): AspView {
  const { messages } = view;
  const last = messages.at(-1);
  if (last?.role !== "assistant") return { messages, turn: "none", stopReason: undefined };
  const parts = last.parts.slice(0, lastOf(last.parts) + 1);
  const earlier = messages.slice(0, -1);
  if (parts.length === 0) return { messages: earlier, turn: "none", stopReason: undefined };
  return { messages: [...earlier, withParts(last, parts)], turn: "paused", stopReason: undefined };
}
