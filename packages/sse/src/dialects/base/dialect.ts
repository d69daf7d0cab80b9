import type { Answer, Question, RunOptions, SessionEvent, WhenBusy } from "@pawl/core";
import type { Cursor, ViewState } from "@pawl/core/view";
import type { EarlierMessage } from "../../request/read-thread.ts";
import type { WireError } from "../../request/wire-error.ts";
import type { ThreadFacts } from "./facts.ts";

/**
 * The protocol of one kind of client: the requests that it sends, and the stream that it is sent. Made by
 * e.g. `aiSdk()`, and passed to `handler({ dialect })`. A dialect is a whitelist: events that it does not
 * know are not sent.
 */
// Unknown events end the run in some clients.
export interface Dialect {
  readonly name: string;
  /** Headers of every stream. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How a client resumes. `cursor`: after the last event that it received; so every event is encoded
   * independently of the others. `replay`: the messages of the last run are sent again from their beginning,
   * including the one in progress, and replace those that the client has.
   */
  readonly resume: "cursor" | "replay";
  /**
   * Names that no tool of the agent may have, because the dialect uses them for its own events. Default:
   * none.
   */
  readonly reserved?: readonly string[];
  /**
   * The field of the body in which clients send their whole thread, oldest message first. Default: clients
   * send no thread. Only the end of the thread is kept, so it may be longer than `maxBodyBytes`:
   *
   * - The `body` of `parse` has the last message, and the messages of the role `tool` right before it.
   * - `earlier` has the ids and roles of up to 200 messages before those.
   */
  readonly threadField?: string;
  /**
   * Parses the body of a request. Only the user's own message and answers are trusted; a history is not.
   *
   * @throws HTTPException 400 with the reason.
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
  /**
   * Encodes a refusal as the frames of a stream, for clients that expect one. Without it, refusals are JSON
   * responses with a status.
   */
  refused?(error: WireError["error"]): readonly string[];
  /**
   * Returns the messages of a session as such a client keeps them, including the stored part of a message in
   * progress.
   */
  history?(view: ViewState, sessionId: string, facts: ThreadFacts): object;
}

/** Limits on the requests that a dialect reads. */
export interface RequestLimits {
  /** The longest message of a user, in UTF-16 code units. */
  maxInputLength: number;
}

/** A request, parsed as far as possible without the log. */
export interface DialectRequest {
  /** Id of an existing session. */
  sessionId?: string;
  /** The client's own name for a session, or a session's id. A new name begins a session. */
  threadId?: string;
  /**
   * Returns what to begin, given the current view of the session, or an empty view for a new one.
   *
   * @throws HTTPException or PawlError if the request does not fit the session.
   */
  begin(view: ViewState): Begin;
  /**
   * Warnings for the developer about parts of the request that are not read, with what to do about each.
   * Constant texts without request data: `handler({ onWarning })` is called once with each.
   */
  unread?: readonly string[];
  /** Replaces the dialect's encoder if the stream depends on the request. */
  encoder?: Dialect["encoder"];
}

/**
 * What a request begins.
 *
 * - `input`: a run with this message and these options.
 * - `answers`: the run continues with these answers.
 * - `abandon`: ends the run whose questions the user will not answer.
 * - `retry`: runs the last message again, after the run of that id failed.
 * - `shown`: begins no run, and sends the last message as it stands.
 * - `connect`: begins no run, and sends what `GET /runs/:id/stream` would send.
 */
export type Begin =
  | ({ input: string } & Pick<RunOptions, "clientMessageId" | "knowledge" | "params" | "metadata">)
  | { answers: readonly Answer[] }
  | { abandon: true }
  | { retry: string }
  | { shown: true }
  | { connect: true };

/** The stream that an encoder writes, and the session before it. */
export interface EncoderContext {
  /** The agent's name. */
  agent: string;
  sessionId: string;
  /** The client's own name for the session. */
  threadId: string;
  /**
   * A client reconnects, and may have all, some or none of the content. It is sent all the agent's output
   * since its last run began, even if that run has ended. Runs that began where others ended count as one.
   */
  again?: boolean;
  /** No run ever began in this session, or there is no session: no event comes between `begin` and `end`. */
  idle?: boolean;
  /** Id of the run that is sent. */
  runId: string;
  /** `seq` of the message that is answered, if it arrived while the run was in progress. */
  messageSeq?: number;
  /** The session's mode when the stream begins, as set by a tool. */
  mode: string | null;
  /** Where the stream resumes, for a dialect whose clients resume by a cursor. */
  from?: Cursor;
  /** Facts from the earlier events; the encoder owns and updates them. */
  facts: ThreadFacts;
  /** `seq` of the last event when the stream began. */
  cursor: number;
  /** Whether a question had been answered when the stream began. */
  isAnswered(question: Question): boolean;
  /** The session's view before the first event that the encoder is given. */
  before: ViewState;
}

/**
 * Encodes the public events of one stream. Every function returns whole frames; lines end with LF. Open parts
 * are closed before the last frame.
 */
export interface Encoder {
  begin(): readonly string[];
  encode(event: SessionEvent): readonly string[];
  /**
   * Returns the last frames, once the run has settled. Returns none if the run has not settled: a stream
   * without a last frame counts as broken off.
   */
  end(): readonly string[];
  /** The message of this stream is complete, although its run continues. */
  readonly over?: boolean;
}

/** Returns an object as a frame: one line of JSON. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
