import type { Json } from "@pawl/core";
import { outputIn, outputPartOf, runMessageId, type ViewMessage, type ViewState } from "@pawl/core/view";

/**
 * The phase of a conversation, derived from the rest of its state.
 *
 * - `idle`: nothing is in progress.
 * - `submitting`: a message or an answer is in flight and not yet stored.
 * - `streaming`: the model is working.
 * - `toolExecuting`: tools are running, and no text is being written.
 * - `completing`: the answer is complete, but the run has not ended yet.
 * - `suspended`: a question waits for its answer.
 * - `error`: the last run failed, or the last request did. A failed {@link AgentClient.loadOlder} does not
 *   change the phase.
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
 * The state of the connection to the server. A run continues without a connection.
 *
 * - `offline`: not connected, because no session is open or the server refused.
 * - `connecting`: opening the first connection.
 * - `open`: receiving events.
 * - `reconnecting`: waiting or connecting after a failure.
 */
export type Connection = "offline" | "connecting" | "open" | "reconnecting";

/** A request that failed, and why. */
export interface AgentFailure {
  /**
   * The server's error code, e.g. `session_busy`. `network` if the server could not be reached, and
   * `protocol` if its response is not one of `@pawl/sse`. `internal` also if `newId` failed.
   */
  code: string;
  /** The reason, in words for the user. */
  message: string;
  /** The text of the message that was not accepted. Put it back into the composer. */
  text?: string;
  /** Id of the call whose answer was not accepted. */
  callId?: string;
  /** The cause, for developers, e.g. the error of `fetch`. Absent if the server refused the request. */
  cause?: unknown;
}

/**
 * The state of a conversation, for display. Immutable: each change makes a new object, and unchanged parts
 * stay the same objects.
 */
export interface AgentState extends ViewState {
  /** Id of the session; `undefined` until the first message of a new session is accepted. */
  sessionId: string | undefined;
  /** What the conversation is doing. */
  phase: Phase;
  /** The state of the connection to the server. */
  connection: Connection;
  /**
   * The output of the run in progress, or else of the last run, see `output` of `agent()`. While `final` is
   * `false`, it is the part that has arrived, and it may still be refused. `undefined` if the run has none.
   */
  output: ShownOutput | undefined;
  /**
   * Whether the session has messages older than the first of `messages`, which
   * {@link AgentClient.loadOlder} loads. `false` until the session is loaded.
   */
  hasOlder: boolean;
  /** Whether older messages are being loaded. */
  loadingOlder: boolean;
  /**
   * The last failure. Cleared by the next message, answer or retry, and by opening a session; that of a
   * `loadOlder()`, also by the next one.
   */
  error: AgentFailure | undefined;
}

/**
 * An output of type `Output`. While the model is writing, `value` is the part that has arrived. Once `final`
 * is `true`, it is the whole value, which matches the agent's schema.
 */
export type ShownOutput<Output = Json> =
  | { final: true; value: Output }
  | { final: false; value: PartialOutput<Output> };

/** The type of an output in progress: any field may be missing, and any list or text may be incomplete. */
export type PartialOutput<T> = [Json] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? PartialOutput<Item>[]
    : T extends object
      ? { [Key in keyof T]?: PartialOutput<T[Key]> }
      : T;

/** A message in flight. Shown at once, and confirmed when it is in the log. */
export interface Sending {
  id: string;
  text: string;
  files?: readonly SendingFile[];
}

/** A file of a message in flight, as far as the page knows it. */
export interface SendingFile {
  mediaType: string;
  bytes: number;
  name?: string;
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
  /** `before` of the next request for older messages. `null` if these are all. */
  before: number | null;
  loadingOlder: boolean;
  /** The last failure of a request for older messages. While it is also `error`, it is the one shown. */
  olderError: AgentFailure | undefined;
}

/** Derives the state from the facts. */
export function stateOf(facts: Facts): AgentState {
  const { sessionId, view, connection, error, loadingOlder } = facts;
  const messages = messagesOf(facts);
  const output = shownOutput(view);
  const hasOlder = facts.before !== null;
  const phase = phaseOf(facts);
  return { ...view, messages, sessionId, connection, error, phase, output, hasOlder, loadingOlder };
}

// States of one view share the parsed output, so that pages compare it by identity.
const shown = new WeakMap<object, ShownOutput>();

function shownOutput(view: ViewState): ShownOutput | undefined {
  const part = outputPartOf(view);
  if (part === undefined) return undefined;
  const known = shown.get(part);
  if (known !== undefined) return known;
  const value = outputIn(part);
  if (value === undefined) return undefined;
  const made = { final: !part.open, value } as ShownOutput;
  shown.set(part, made);
  return made;
}

/** Returns whether a message or an answer is in flight and not yet stored. */
export function isSubmitting({ view, sending, answering }: Facts): boolean {
  if (sending !== undefined && !isStored(view, sending)) return true;
  return answering.size > 0;
}

function phaseOf(facts: Facts): Phase {
  const { view, error, olderError } = facts;
  if (isSubmitting(facts)) return "submitting";
  if (view.run?.open) return runningPhase(view);
  if (view.pending.length > 0) return "suspended";
  if ((error && error !== olderError) || view.run?.failed) return "error";
  return "idle";
}

function runningPhase({ messages, run, runningTools }: ViewState): Phase {
  const parts = messages.findLast((message) => message.id === runMessageId(run))?.parts ?? [];
  const isWriting = parts.some((part) => (part.type === "text" || part.type === "output") && part.open);
  if (!isWriting && Object.keys(runningTools).length > 0) return "toolExecuting";
  const last = parts.at(-1);
  const isAnswered = (last?.type === "text" || last?.type === "output") && !last.open;
  return isAnswered ? "completing" : "streaming";
}

function messagesOf({ view, sending }: Facts): ViewMessage[] {
  if (sending === undefined || isStored(view, sending)) return view.messages;
  const { id, text, files = [] } = sending;
  const parts: ViewMessage["parts"] = [
    ...files.map((file, at) => ({ type: "file" as const, key: `${id}:${at}`, ...file })),
    ...(text === "" ? [] : [{ type: "text" as const, key: id, text, open: false }]),
  ];
  return [...view.messages, { id, role: "user", text, parts, seq: 0 }];
}

function isStored(view: ViewState, { id }: Sending): boolean {
  return view.messages.some((message) => message.id === id);
}
