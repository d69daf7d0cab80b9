import type { Answer, Question, RunOptions, SessionEvent, WhenBusy } from "@pawl/core";
import type { Cursor, ViewState } from "@pawl/core/view";
import type { EarlierMessage } from "../../request/read-thread.ts";
import type { WireError } from "../../request/wire-error.ts";
import type { ThreadFacts } from "./facts.ts";

/**
 * How a kind of client talks with an agent: what it sends, and what it is sent. One file of plain data and
 * functions each, made by e.g. `aiSdk()` and given to `handler({ dialect })`. A dialect is a whitelist: an
 * event that it has no word for is not told, because unknown ones end the run in some clients.
 */
export interface Dialect {
  readonly name: string;
  /** Sent with every stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How a client comes back. `cursor`: after the last event that it has got, so that each is encoded by
   * itself, alone. `replay`: the message that is being written is told from its beginning, over whatever the
   * client has of it, and so are the messages of its run before it.
   */
  readonly resume: "cursor" | "replay";
  /**
   * Names that no tool of the agent may have, where a tool's name could be taken for another word of the
   * dialect.
   */
  readonly reserved?: readonly string[];
  /**
   * The field of the body in which clients send their whole thread, oldest message first. `parse` gets its
   * last message, with the messages of the role `tool` right before it, and as `earlier` the ids and roles of
   * up to 200 before those. So a thread may be longer than `maxBodyBytes`. Default: clients send no thread.
   */
  readonly threadField?: string;
  /**
   * What a request asks for. Nothing of it is believed but the user's own words and answers; no history.
   *
   * @throws HTTPException 400 that says what is wrong.
   */
  parse(
    body: unknown,
    limits: RequestLimits,
    earlier: readonly EarlierMessage[],
  ): DialectRequest | Promise<DialectRequest>;
  encoder(context: EncoderContext): Encoder;
  /** Whether a client that reconnects gets a stream even if no run ever began. Default: it gets 204. */
  readonly tellsIdle?: boolean;
  /**
   * What happens to a message that arrives during a run, for agents without a `whenBusy` of their own:
   * `interrupt` for clients that stop a run by hanging up. Default: `reject`.
   */
  readonly whenBusy?: WhenBusy;
  /** Refusals that such clients want to read in a stream; without it, they are responses with a status. */
  refused?(error: WireError["error"]): readonly string[];
  /**
   * The messages of a session as such a client keeps them, including the stored part of a message in
   * progress.
   */
  history?(view: ViewState, sessionId: string, facts: ThreadFacts): object;
}

/** Limits on the requests that a dialect reads. */
export interface RequestLimits {
  /** The longest message of a user, in UTF-16 code units. */
  maxInputLength: number;
}

/** A request, understood as far as that goes without the log. */
export interface DialectRequest {
  /** A session that exists. */
  sessionId?: string;
  /** The client's own name for a session, or a session's id; one that is new begins a session. */
  threadId?: string;
  /**
   * What is to be begun, given the session as it is, or an empty view of a new one.
   *
   * @throws HTTPException or PawlError where that does not fit.
   */
  begin(view: ViewState): Begin;
  /**
   * Warnings for the developer about parts of the request that are not read, with what to do about each.
   * Constant texts without request data: `handler({ onWarning })` is called once with each.
   */
  unread?: readonly string[];
  /** In place of the dialect's, where the request says how it wants to be answered. */
  encoder?: Dialect["encoder"];
}

/**
 * A message with its options, answers, or the end of a run whose questions the user will not answer. `retry`:
 * runs the last message again, after the run of that id failed. `shown`: begins no run, and sends the last
 * message as it stands. `connect`: begins no run, and sends what `GET /runs/:id/stream` would send.
 */
export type Begin =
  | ({ input: string } & Pick<RunOptions, "clientMessageId" | "knowledge" | "params" | "metadata">)
  | { answers: readonly Answer[] }
  | { abandon: true }
  | { retry: string }
  | { shown: true }
  | { connect: true };

/** What an encoder knows of the stream that it writes. */
export interface EncoderContext {
  /** The agent's name. */
  agent: string;
  sessionId: string;
  /** What the client calls the session. */
  threadId: string;
  /**
   * A client reconnects, and may have all, some or none of the content. It is sent all the agent's output
   * since its last run began, even if that run has ended. Runs that began where others ended count as one.
   */
  again?: boolean;
  /** No run ever began in this session, or there is no session: no event comes between `begin` and `end`. */
  idle?: boolean;
  /** The run that is told. */
  runId: string;
  /** `seq` of the message that is answered, where it came while the run was at work. */
  messageSeq?: number;
  /** The mode that a tool had put the session into by then. */
  mode: string | null;
  /** Where the stream goes on, for a dialect whose clients come back by a cursor. */
  from?: Cursor;
  /** Facts from the earlier events; the encoder owns and updates them. */
  facts: ThreadFacts;
  /** `seq` of the last event when the stream began. */
  cursor: number;
  /** Whether a question had been answered when the stream began. */
  isAnswered(question: Question): boolean;
  /** The session as it was before the first event that the encoder is given, as people see it. */
  before: ViewState;
}

/**
 * Tells one stream's events, public ones. Every function returns whole frames; lines end with LF. Parts that
 * are open are closed before the last frame.
 */
export interface Encoder {
  begin(): readonly string[];
  encode(event: SessionEvent): readonly string[];
  /**
   * The last frames, once the run has come to rest. Without a word of how it did: none, and the stream is
   * broken off.
   */
  end(): readonly string[];
  /** The message that this stream tells is over, although its run goes on. */
  readonly over?: boolean;
}

/** An object as a frame: one line of JSON. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
