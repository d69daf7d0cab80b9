import { runMessageId, type ViewMessage, type ViewState } from "@pawl/core/view";

/**
 * What the conversation is doing, derived from the rest of the state.
 *
 * - `idle`: nothing is in progress.
 * - `submitting`: a message or an answer is in flight and not yet in the log.
 * - `streaming`: the model is working.
 * - `toolExecuting`: tools are running, and no text is being written.
 * - `completing`: the last answer is complete, the end of the run is not yet known.
 * - `suspended`: a question waits for its answer.
 * - `error`: the last run failed, or the last request was refused.
 */
export type Phase =
  | "idle"
  | "submitting"
  | "streaming"
  | "toolExecuting"
  | "completing"
  | "suspended"
  | "error";

/**
 * Whether events are arriving. Independent of the run, which continues without a connection.
 *
 * - `offline`: not reading, because nothing is open or the server refused.
 * - `connecting`: opening the first connection.
 * - `open`: reading.
 * - `reconnecting`: waiting or connecting after a failure.
 */
export type Connection = "offline" | "connecting" | "open" | "reconnecting";

/** Why a request failed. */
export interface AgentFailure {
  /**
   * The server's code, e.g. `session_busy`; `network` if it could not be reached, `protocol` if its response
   * was not one of `@pawl/sse`; `internal` also if `newId` failed.
   */
  code: string;
  /** The reason, for people. */
  message: string;
  /** The message that was not accepted. Put it back into the composer. */
  text?: string;
  /** The question whose answer was not accepted. */
  callId?: string;
}

/**
 * A conversation as it is shown. Immutable: every change makes a new object that shares unchanged parts, so
 * an unchanged message stays the same object.
 */
export interface AgentState extends ViewState {
  /** `undefined` until the first message of a new session is accepted. */
  sessionId: string | undefined;
  phase: Phase;
  connection: Connection;
  /** The last failure. The next message, answer or session clears it. */
  error: AgentFailure | undefined;
}

/** A message in flight: shown at once, confirmed when the log has it. */
export interface Sending {
  id: string;
  text: string;
}

/** The facts from which a conversation's state is derived. */
export interface Facts {
  sessionId: string | undefined;
  view: ViewState;
  sending: Sending | undefined;
  /** Ids of calls whose answers are in flight. */
  answering: ReadonlySet<string>;
  connection: Connection;
  error: AgentFailure | undefined;
}

/** Derives the state from the facts. */
export function stateOf(facts: Facts): AgentState {
  const { sessionId, view, connection, error } = facts;
  return { ...view, messages: messagesOf(facts), sessionId, connection, error, phase: phaseOf(facts) };
}

/** Whether a message or an answer is in flight and not yet in the log. */
export function isSubmitting({ view, sending, answering }: Facts): boolean {
  if (sending !== undefined && !isStored(view, sending)) return true;
  return answering.size > 0;
}

function phaseOf(facts: Facts): Phase {
  const { view, error } = facts;
  if (isSubmitting(facts)) return "submitting";
  if (view.run?.open) return runningPhase(view);
  if (view.pending.length > 0) return "suspended";
  if (error !== undefined || view.run?.failed) return "error";
  return "idle";
}

function runningPhase({ messages, run, runningTools }: ViewState): Phase {
  const parts = messages.findLast((message) => message.id === runMessageId(run))?.parts ?? [];
  const isWriting = parts.some((part) => part.type === "text" && part.open);
  if (!isWriting && Object.keys(runningTools).length > 0) return "toolExecuting";
  const last = parts.at(-1);
  const isAnswered = last?.type === "text" && !last.open;
  return isAnswered ? "completing" : "streaming";
}

function messagesOf({ view, sending }: Facts): ViewMessage[] {
  if (sending === undefined || isStored(view, sending)) return view.messages;
  const { id, text } = sending;
  const parts: ViewMessage["parts"] = [{ type: "text", key: id, text, open: false }];
  return [...view.messages, { id, role: "user", text, parts, seq: 0 }];
}

function isStored(view: ViewState, { id }: Sending): boolean {
  return view.messages.some((message) => message.id === id);
}
