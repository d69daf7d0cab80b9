import type { Json, JsonObject } from "../base/json.ts";
import type { Consent, ConsentPart } from "../log/consent.ts";
import type { InputFor, QuestionPlace } from "../log/event-parts.ts";
import type { QuestionExpiry } from "../log/expiry.ts";

/** A question to the user, as the log has it. */
export interface QuestionRecord {
  /** The kind of question, by which the client chooses a control. */
  kind: string;
  /** What to show to the user. */
  payload: Json;
  /** JSON Schema of a valid answer. */
  answerSchema: JsonObject;
  /** `seq` of the event that asked. */
  seq: number;
  /** The hook that asks; absent if the tool asks. */
  by?: string;
  /** The call's input if a hook has changed it. */
  input?: Json;
  /** Who learns that input. Absent: nobody. */
  inputFor?: InputFor;
  /** The asking call in the session of the call's sub-agent, and the `seq` of its question there. */
  child?: { sessionId: string; callId: string; question: number };
  /** Whether the tool asked while it ran, so that it runs again with the answer. */
  midway?: true;
  /** What a tool that asked while it ran has stored with the question, to continue with. */
  state?: Json;
  /**
   * The time at which the question is answered by itself, and its default answer. Absent if it waits without
   * a limit.
   */
  expires?: QuestionExpiry;
  /** After how long the question expires, in milliseconds. Absent if it expires at a given time, or never. */
  lastsMs?: number;
  /**
   * What has changed since the user was asked before, because the call would not run as it was shown then.
   * Absent for a question that is not asked again.
   */
  changed?: readonly ConsentPart[];
  /** Whether nobody is asked: the call waits for the time in `expires`. */
  hidden?: true;
  /**
   * The name of a tool that runs at the client, with `payload` as its input. Its result is the answer, so a
   * page shows no question. Absent if a person is asked.
   */
  clientTool?: string;
}

/** A tool call or a hook that may ask the user. */
export interface Asking {
  /** Id of the call; for a question about the run, an id of its own. */
  callId: string;
  /** Name of the called tool; for a question about the run, the name of the hook. */
  toolName: string;
  /** `seq` of the assistant message that made the call, or of the run's start; part of event keys. */
  assistantSeq: number;
  /** The current or last question. */
  question: QuestionRecord | undefined;
  /**
   * The answer to `question`. `error` is why a tool at the client failed. `closed` is why the question was
   * closed without an answer. `expired`: nobody answered in time, and `value` is the default.
   */
  answer: { value: Json; error: string | undefined; closed: string | undefined; expired?: true } | undefined;
  /**
   * What the user was asked about, or has consented to once the call was started. `undefined` without a
   * question that lets a call run, or if an earlier version of Pawl has stored it.
   */
  about?: Consent | undefined;
  /** How many questions were asked. */
  questions: number;
}

/** A question of a hook about the run. */
export interface RunQuestion extends Asking {
  question: QuestionRecord;
  before: QuestionPlace;
  /** The number of the run's turns before the question. */
  turns: number;
}

/**
 * Returns whether a call or hook waits, for the user or for a time. A call has no result before its question
 * is answered or closed.
 */
export function isWaiting({ question, answer }: Asking): boolean {
  return question !== undefined && answer === undefined;
}

/** Returns whether a call waits for a time, so that nobody is asked. */
export function isHidden({ question }: Asking): boolean {
  return question?.hidden === true;
}

/** The kind of the hidden question by which a run waits before its model is asked again. */
export const RETRY = "retry";

/** The kind of the question by which Pawl asks for the caller's credentials. */
export const CREDENTIALS = "credentials";
