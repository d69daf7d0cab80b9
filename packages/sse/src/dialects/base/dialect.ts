import type { Answer, Question, RunOptions, SessionEvent, StoredOf, WhenBusy } from "@pawl/core";
import type { Cursor, ViewState } from "@pawl/core/view";
import type { EarlierMessage } from "../../request/read-thread.ts";
import type { WireError } from "../../request/wire-error.ts";
import type { ThreadFacts } from "./facts.ts";

/**
 * Translates between Pawl and the protocol of one kind of client: requests, and the events of a stream. Pass
 * one to `handler({ dialect })`, e.g. `aiSdk()`. A dialect sends only events that its clients know.
 */
// Unknown events end the run in some clients.
export interface Dialect {
  readonly name: string;
  /** Headers of every streamed response. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How a client resumes a stream that broke off.
   *
   * - `cursor`: it continues after the last event that it received. Each event is encoded independently of
   *   the others.
   * - `replay`: it gets the messages of the last run again from their beginning, including the one in
   *   progress. They replace the messages that the client has.
   */
  readonly resume: "cursor" | "replay";
  /**
   * Names that tools of the agent must not have, because events of the dialect have these names. Default:
   * none. If a function returns the tools, they are checked when a run starts: a run with such a tool is
   * stopped, its request answers 500, and `onError` gets the error.
   */
  readonly reserved?: readonly string[];
  /**
   * The field of the body in which clients send their whole thread, oldest message first. Default: clients
   * send no thread. Only the end of the thread is kept, so it may be longer than `maxBodyBytes`:
   *
   * - The `body` of `parse` has the last message, and the messages of the role `tool` right before it.
   * - The `earlier` of `parse` has the ids and roles of up to 200 messages before those.
   */
  readonly threadField?: string;
  /**
   * Parses the body of a request. Must use only the user's new message and answers: the rest of a client's
   * history is not trusted.
   *
   * @throws HTTPException 400 with the reason.
   */
  parse(
    body: unknown,
    limits: RequestLimits,
    earlier: readonly EarlierMessage[],
  ): DialectRequest | Promise<DialectRequest>;
  /** Returns the encoder of one stream. */
  encoder(context: EncoderContext): Encoder;
  /**
   * Whether a client that reconnects gets a stream even if the session never had a run. Default: `false`; the
   * response is 204.
   */
  readonly tellsIdle?: boolean;
  /**
   * What happens to a message that arrives during a run, if the agent has no `whenBusy`. Use `interrupt` for
   * clients that stop a run by closing the connection. Default: `reject`.
   */
  readonly whenBusy?: WhenBusy;
  /**
   * Encodes an error as the frames of a stream, for clients that expect a stream. Used for the statuses 400,
   * 409 and 422. Default: errors are JSON responses.
   */
  refused?(error: WireError["error"]): readonly string[];
  /**
   * Returns the response of `GET /runs/:id`: the session's messages in the client's format, with the stored
   * part of a message in progress.
   */
  history?(view: ViewState, sessionId: string, facts: ThreadFacts): object;
}

/** Limits on the requests that a dialect reads. */
export interface RequestLimits {
  /** The maximum length of a user's message, in UTF-16 code units. */
  maxInputLength: number;
  /**
   * Set if clients may offer tools (`AgentOptions.clientTools`). `own` are the names of the agent's tools.
   */
  tools?: { readonly own: ReadonlySet<string> };
}

/**
 * A parsed request of a client. `begin` decides what the request begins, because that depends on the session.
 */
export interface DialectRequest {
  /** Id of an existing session. */
  sessionId?: string;
  /**
   * The client's own name for a session, or a session's id. A name that is new for the user begins a session.
   */
  threadId?: string;
  /**
   * Returns what the request begins. `view` is the session's view, or an empty one for a new session.
   *
   * @throws HTTPException or PawlError if the request does not fit the session.
   */
  begin(view: ViewState): Begin | Promise<Begin>;
  /**
   * Warnings for the developer about ignored parts of the request, with what to do about each. They must be
   * constant texts without request data: `handler({ onWarning })` is called once per text.
   */
  unread?: readonly string[];
  /** Returns the encoder of this request's stream. Default: the dialect's `encoder`. */
  encoder?: Dialect["encoder"];
}

/**
 * What a request begins.
 *
 * - `input`: a run with this message and these options.
 * - `answers`: continues the run with these answers.
 * - `abandon`: ends the run whose questions the user will not answer.
 * - `retry`: runs the last message again; the value is the id of its failed run.
 * - `shown`: begins no run, and sends the agent's last message again.
 * - `connect`: begins no run, and sends what `GET /runs/:id/stream` would send.
 */
export type Begin =
  | ({ input: NonNullable<RunOptions["input"]> } & Pick<
      RunOptions,
      "clientMessageId" | "knowledge" | "params" | "metadata" | "clientTools"
    >)
  | { answers: readonly Answer[] }
  | { abandon: true }
  | { retry: string }
  | { shown: true }
  | { connect: true };

/** Facts about one stream, and about its session before it. */
export interface EncoderContext {
  /** The agent's name. */
  agent: string;
  sessionId: string;
  /** The client's own name for the session. */
  threadId: string;
  /**
   * Whether the client is reconnecting. The client may have all, some or none of the messages. So it gets all
   * the agent's output since the last run began, even if that run has ended. If a run began when another one
   * ended, both count as one run.
   */
  again?: boolean;
  /** Whether there is nothing to send: the session never had a run, or does not exist. */
  idle?: boolean;
  /** Id of the run that the stream sends. */
  runId: string;
  /**
   * `seq` of the user's message that the stream answers, if the message arrived while the run was in
   * progress.
   */
  messageSeq?: number;
  /** The session's mode when the stream begins, as set by a tool; `null` if none exists. */
  mode: string | null;
  /** The cursor after which the stream begins, in a dialect with `resume: "cursor"`. */
  from?: Cursor;
  /** Facts from the events before the stream. The encoder may change them. */
  facts: ThreadFacts;
  /** `seq` of the session's last event when the stream began. */
  cursor: number;
  /** Returns whether a question had been answered when the stream began. */
  isAnswered(question: Question): boolean;
  /** The session's view before the first event that the encoder gets. */
  before: ViewState;
  /**
   * The results that calls got after the request and before its run began: a message first closes the open
   * questions. `before` has these results, too. Default: none.
   */
  closed?: readonly StoredOf<"tool_result">[];
}

/**
 * Encodes the events of one stream. Every function returns whole server-sent events with LF line ends. The
 * encoder must close open parts before its last frame.
 */
export interface Encoder {
  /** Returns the frames before the first event. */
  begin(): readonly string[];
  /** Returns the frames of one event; often none. */
  encode(event: SessionEvent): readonly string[];
  /**
   * Returns the last frames, once the run has settled. Returns none otherwise: a stream without a last frame
   * counts as broken off.
   */
  end(): readonly string[];
  /**
   * Returns the last frames of a stream that ends before the run settles, because its client is not
   * authorized any more. Default: the stream breaks off.
   */
  refused?(error: WireError["error"]): readonly string[];
  /** Whether the message of this stream is complete although its run continues. Default: `false`. */
  readonly over?: boolean;
}

/** Returns a value as one frame: a line of JSON after `data:`. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
