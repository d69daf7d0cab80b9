import type { Agent, WhenBusy } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { EventData } from "../../log/event.ts";
import type { EventStore } from "../../log/event-store.ts";
import type { AwaitedRun } from "../../log/handover.ts";
import type { SessionEvent } from "../../log/live-event.ts";
import type { LiveTail } from "../../log/live-tail.ts";
import type { Session } from "../../log/session-row.ts";
import type { Cursor } from "../../readers/cursor.ts";
import type { BlobStore } from "../../stores/blob-store.ts";
import type { Upcasters } from "../../stores/upcast.ts";
import type { ViewState } from "../../view/view.ts";
import type { Run } from "../leg/run-handle.ts";

/**
 * An answer to a pending question. `error` instead of `value` reports that a tool of the client failed. The
 * model reads this text as the call's error, whatever the tool's answer schema. At most 10,000 characters.
 * Questions of hooks, e.g. of `approval()`, refuse it.
 */
export type Answer = {
  callId: string;
  /**
   * The `seq` of the question, from `pending`. A call may ask again: without it, its last question is
   * answered.
   */
  question?: number;
} & ({ value: Json; error?: never } | { error: string; value?: never });

/** A piece of what is known. `params` says what was asked for, where there is more of it. */
export type Knowledge = EventData["knowledge"];

/** What a run begins or goes on with: a message, or answers. */
export interface RunOptions {
  /** Who asks. Only the session's owner gets anywhere. */
  userId: string;
  /** The session to go on with; a new one without. */
  sessionId?: string;
  /**
   * The user's message. It closes questions that are still open. For a message during a run, see
   * {@link WhenBusy}.
   */
  input?: string;
  answers?: readonly Answer[];
  /**
   * What the model should know beside the message, stored with it. It comes before the message, each in a tag
   * that names its source; the words in it cannot close that tag.
   */
  knowledge?: readonly Knowledge[];
  /**
   * What is asked for beside the message, e.g. `{ model: "claude-haiku-4-5" }`. The model does not read it;
   * hooks do, as `run.params`, and tools, as `params` of their context, in every process and after every
   * wait, those of agents that work for this one included. What a run at work takes up, and answers, do not
   * change it.
   */
  params?: JsonObject;
  /**
   * The client's id of the message: sent again, it is stored once and the first run is shown. That goes for
   * the first message of a new session too.
   */
  clientMessageId?: string;
  /** Stops the run, also one that has taken the message up. A reader that goes away does not. */
  signal?: AbortSignal;
  /** Metadata of a session that is created. */
  metadata?: JsonObject;
  /**
   * What happens to a message that arrives during a run, for an agent without a `whenBusy` of its own.
   * Default: `reject`.
   */
  whenBusy?: WhenBusy;
  retry?: never;
}

/**
 * Runs the last message again, after a run that failed. A run can be retried if it is the session's last one
 * and left the session in status `error` (a failed model, a limit, a crash loop), or was stopped or
 * interrupted. A refusal and an answer that was cut short at `max_tokens` count as answers and cannot be
 * retried.
 */
export interface RetryRunOptions extends Pick<RunOptions, "userId" | "signal"> {
  sessionId: string;
  /**
   * Id of the run that failed. Its work stays in the context: the model continues from its tool results. Its
   * `params` apply again. A run is retried once: a second request, in any process, gets the same new run. If
   * the run is still in progress, the request gets that run.
   */
  retry: string;
  input?: never;
  answers?: never;
}

/** A session as a client shows it. Follow it from `cursor`, and fold what comes with `reduceView`. */
export interface SessionView extends ViewState {
  session: Session;
}

/** What a runtime is made of. `deps` may be left out if no agent needs it. */
export type RuntimeOptions<Deps> = undefined extends Deps
  ? Omit<RuntimeSettings<Deps>, "deps"> & Partial<Pick<RuntimeSettings<Deps>, "deps">>
  : RuntimeSettings<Deps>;

/** All options of a runtime. */
export interface RuntimeSettings<Deps> {
  /** Makes what the tools need, for one session. Called again in any process that continues the session. */
  deps: (session: Session) => Deps | Promise<Deps>;
  /** The agents that runs are asked of by their names. */
  agents: readonly Agent<Deps>[];
  /** Where the log is, e.g. `memoryStore()`. */
  store: EventStore;
  /**
   * How readers hear of what happens. Default: within this process; other processes poll. A tail knows
   * sessions by their ids alone and hands on their events, so runtimes over different stores have different
   * ones.
   */
  tail?: LiveTail;
  /**
   * How long a lease lasts, in milliseconds; a process that dies is noticed after at most this time. Default:
   * 10 s.
   */
  leaseTtlMs?: number;
  /** How long a stopped run waits for tools that do not mind their signal, in milliseconds. Default: 1 s. */
  abortGraceMs?: number;
  /** Makes ids of sessions, runs and appends; none may come twice. Default: random UUIDs. */
  newId?(): string;
  /** The clock for limits, time-outs and durations. Leases use the store's. Default: the machine's. */
  clock?: Clock;
  /**
   * Pauses after which an append is tried again when the store was unavailable, in milliseconds. Default: 50
   * and 250.
   */
  storeRetryMs?: readonly number[];
  /**
   * Told of failures that no caller hears of, e.g. of a session that cannot be recovered, and of faults in
   * the program that end a run as `error`, e.g. `deps` that throws. Default: the console.
   */
  onError?(error: unknown): void;
  /**
   * Interval in milliseconds at which a session's readers query the store for events of other processes. All
   * readers share one query. While every append is heard (`memoryStore()`, or `postgresTail()` while it is
   * `listening`), an idle session is queried once a minute. Default: 1 s.
   */
  pollMs?: number;
  /** For logs with events of an earlier version, e.g. imported ones. Pawl's own are always there. */
  upcasters?: Upcasters;
  /**
   * Where payloads above 256 kB are kept, see {@link withBlobs}. Without it they are in the log like all
   * others; once a log has blobs, every process over it needs them, and gets `store_unavailable` without.
   */
  blobs?: BlobStore;
}

/** Runs agents over one store. Made by `runtime()`. */
export interface Runtime {
  /** The agents by their names. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** The store, read through blobs and upcasters. It shows what was redacted; `readShown` does not. */
  readonly store: EventStore;
  /** Starts at once; see {@link Run}. */
  run(agent: string, options: RunOptions | RetryRunOptions): Run;
  /** Asks the session's run to stop, wherever it runs. Nothing happens if none is open. */
  stop(sessionId: string, options: { userId: string }): Promise<void>;
  /** The session as its owner sees it; `not_found` for anybody else. */
  view(sessionId: string, options: { userId: string }): Promise<SessionView>;
  /**
   * Events after `afterSeq` (default: from the beginning), then whatever happens, until the signal fires. An
   * answer that is being written is shown from its beginning, or from `live` on (`advanceCursor` keeps
   * account of where a reader is). With `untilIdle` it ends after the next `run_suspended` or `run_ended`, of
   * the named run if one is named (`Run.started` resolves to what names it), and not where the end of one run
   * begins another. It asks nobody's permission: look whose session it is before you hand its events out.
   */
  follow(
    sessionId: string,
    options?: Partial<Cursor> & { signal?: AbortSignal; untilIdle?: boolean | AwaitedRun },
  ): AsyncIterable<SessionEvent>;
  /**
   * Lets the context begin at the event `fromSeq` , or at the last place before it that a conversation can
   * begin at. Resolves to the `seq` of that place. What is before stays in the log and in the view. Rejects
   * with `not_found`, `invalid_input`, or `session_busy` while a run is open.
   */
  startContextAt(sessionId: string, options: { userId: string; fromSeq: number }): Promise<number>;
  /**
   * Takes back what an event says: a message, an answer of the model, a result, knowledge, an artifact, a
   * note, a summary or, naming a `prefix`, the user data in it; and what an agent has said that did the work
   * of a call, with the call or its result. From then on it is neither sent nor shown; `[redacted]` is.
   * History is not rewritten: the store keeps its row, summaries and copies (`fork`) may repeat it, and so
   * may what the provider keeps. Rejects with `not_found`, `invalid_input`, or `session_busy` while a run is
   * open.
   */
  redact(sessionId: string, seq: number, options: { userId: string }): Promise<void>;
  /**
   * A new session of the same user that begins with a copy of this one's log, up to the last end of a run
   * that is not after `atSeq` (default: the last of all). Its metadata name it in
   * `forked_from: { session_id, seq }`, its totals begin at 0. Rejects with `not_found`, or `invalid_input`
   * where no run has ended by then.
   */
  fork(sessionId: string, options: { userId: string; atSeq?: number }): Promise<Session>;
  /**
   * The user's newest active or suspended session with this agent, or a new one: one and the same for all who
   * ask at once, in any process.
   */
  getOrCreateSession(agent: string, userId: string): Promise<Session>;
  /** Goes on with every run that its process left behind; returns how many were taken up. */
  sweep(): Promise<number>;
  /** Sweeps now and once per lease time. Call it once in a process that stays. */
  start(): void;
  /**
   * Starts nothing more and lets each run come to the end of its turn; what does not within `timeoutMs`
   * (default 30 s) is left as it is. Another process goes on with all of them. Then readers here end with
   * `draining`. Call it on SIGTERM.
   */
  drain(options?: { timeoutMs?: number }): Promise<void>;
}
