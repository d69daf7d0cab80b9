import { runMessageId, type ViewMessage, type ViewState } from "@pawl/core/view";

/**
 * What the conversation is doing. It follows from the rest of the state and is never set by hand.
 *
 * - `submitting`: a message or an answer is on its way and not yet in the log.
 * - `streaming`: the model is at work. `toolExecuting`: tools are, and no text is being written.
 * - `completing`: the last answer is complete, the end of the run is not yet known.
 * - `suspended`: a question waits for its answer.
 * - `error`: the last run failed, or the last thing we asked for was refused.
 */
export type Phase =
  | "idle"
  | "submitting"
  | "streaming"
  | "toolExecuting"
  | "completing"
  | "suspended"
  | "error";

/** Whether events come in. Says nothing about the run, which goes on without us. */
export type Connection = "offline" | "connecting" | "open" | "reconnecting";

/** Why something that was asked for did not happen. */
export interface AgentFailure {
  /**
   * The server's code, e.g. `session_busy`; `network` when it could not be reached, `protocol` when it is not
   * ours.
   */
  code: string;
  message: string;
  /** The message that was not accepted, to be put back into the composer. */
  text?: string;
  /** The question whose answer was not accepted. */
  callId?: string;
}

/**
 * A conversation as it is shown. Never changed: every change makes a new one that shares what stayed the
 * same, so that a message that did not change is the same object.
 */
export interface AgentState extends ViewState {
  /** `undefined` until the first message of a new session is accepted. */
  sessionId: string | undefined;
  phase: Phase;
  connection: Connection;
  /** The last failure; gone with the next message, answer or session. */
  error: AgentFailure | undefined;
}

/** A message that is on its way: shown at once, confirmed when the log has it. */
export interface Sending {
  id: string;
  text: string;
}

/** All that a conversation is made of. */
export interface Facts {
  sessionId: string | undefined;
  view: ViewState;
  sending: Sending | undefined;
  /** Calls whose answers are on their way. */
  answering: ReadonlySet<string>;
  connection: Connection;
  error: AgentFailure | undefined;
}

/** Facts as the state that is shown. */
export function stateOf(facts: Facts): AgentState {
  const { sessionId, view, connection, error } = facts;
  return { ...view, messages: messagesOf(facts), sessionId, connection, error, phase: phaseOf(facts) };
}

/** Whether a message or an answer is on its way and not yet in the log. */
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
