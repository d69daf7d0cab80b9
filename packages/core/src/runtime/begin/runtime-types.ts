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

/**
 * Data for the model to read, with its source. `params` are what the source was asked for, if it can be asked
 * for more.
 */
export type Knowledge = EventData["knowledge"];

/** Options of `run()`: a message that starts a run, or answers that continue one. */
export interface RunOptions {
  /** The user. Only the owner of a session may use it; for others it does not exist. */
  userId: string;
  /** The session to use. Default: a new one. */
  sessionId?: string;
  /** The user's message. It closes open questions. For a message during a run, see {@link WhenBusy}. */
  input?: string;
  /** Answers to pending questions, instead of a message. */
  answers?: readonly Answer[];
  /**
   * Data for the model to read before the message, stored with it. Each piece is in a tag that names its
   * source; its text cannot close that tag.
   */
  knowledge?: readonly Knowledge[];
  /**
   * Values for hooks (`run.params`) and tools (`params` of their context), e.g.
   * `{ model: "claude-haiku-4-5" }`. The model does not read them. Sub-agents of the run get them too. Fixed
   * when the run starts: answers, and messages that are queued while it runs, do not change them.
   */
  params?: JsonObject;
  /**
   * The client's id of the message. A message that is sent again under its id is stored once, and the caller
   * gets the first run. This also holds for the first message of a new session.
   */
  clientMessageId?: string;
  /**
   * Aborting it stops the run, including a run in progress that picked this message up. Closing the stream
   * stops nothing.
   */
  signal?: AbortSignal;
  /** Metadata of the session, if a new one is created. */
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

/**
 * A session as clients show it. To keep it up to date, follow the session from `cursor` and fold each event
 * in with `reduceView`.
 */
export interface SessionView extends ViewState {
  session: Session;
}

/** Options of `runtime()`, see {@link RuntimeSettings}. `deps` may be left out if no agent needs it. */
export type RuntimeOptions<Deps> = undefined extends Deps
  ? Omit<RuntimeSettings<Deps>, "deps"> & Partial<Pick<RuntimeSettings<Deps>, "deps">>
  : RuntimeSettings<Deps>;

/** All options of `runtime()`. */
export interface RuntimeSettings<Deps> {
  /**
   * Returns the dependencies of tools, hooks and `userData` for a session. Called again in each process that
   * continues the session.
   */
  deps: (session: Session) => Deps | Promise<Deps>;
  /** The agents, which `run()` finds by their names. */
  agents: readonly Agent<Deps>[];
  /** The store of all logs, e.g. `memoryStore()`. */
  store: EventStore;
  /**
   * How readers are notified of new events. Default: within this process only; other processes poll. Do not
   * share a tail between runtimes that use different stores: it identifies sessions by id only.
   */
  tail?: LiveTail;
  /**
   * How long a lease lasts, in milliseconds. A dead process is noticed after at most this time. Default:
   * 10,000.
   */
  leaseTtlMs?: number;
  /**
   * How long a stopped run waits for tools that ignore their abort signal, in milliseconds. Default: 1,000.
   */
  abortGraceMs?: number;
  /**
   * Called with a promise for everything that this runtime works on: each run that is being started and each
   * leg, whoever started it. The promises never reject. Pass the platform's function where work ends with its
   * request, e.g. `waitUntil: (work) => ctx.waitUntil(work)` on Cloudflare Workers, `waitUntil` of
   * `@vercel/functions`, `(work) => after(() => work)` in Next, `EdgeRuntime.waitUntil` on Supabase. Default:
   * not called.
   */
  waitUntil?(work: Promise<unknown>): void;
  /**
   * How long this process may work on a session without interruption, in milliseconds. In the last fifth of
   * this time no new turn starts, and at its end in-flight work is aborted. The lease is released, so that
   * the next request continues the run at once. Set it 10 to 20 s below the platform's time limit. Default:
   * no limit.
   */
  handOverAfterMs?: number;
  /** Makes ids of sessions, runs and appends, each unique. Default: random ids. */
  newId?(): string;
  /**
   * The clock for limits, time-outs, durations, lease renewals, sweeps and `drain()`. Default: the machine's.
   * A lease expires by the store's clock, so give both the same one. No lease is renewed while the clock
   * stands still, e.g. `testClock()` of `@pawl/testing`.
   */
  clock?: Clock;
  /**
   * Pauses before each retry of an append that failed because the store was unavailable, in milliseconds.
   * Default: `[50, 250]`.
   */
  storeRetryMs?: readonly number[];
  /**
   * Called with failures that no caller gets, e.g. a session that cannot be recovered, and with exceptions
   * that end a run as `error`, e.g. of `deps`. Default: prints them to the console.
   */
  onError?(error: unknown): void;
  /**
   * Interval in milliseconds at which a session's readers query the store for events of other processes. All
   * readers share one query. While every append is heard (`memoryStore()`, or `postgresTail()` while it is
   * `listening`), an idle session is queried once a minute. Default: 1 s.
   */
  pollMs?: number;
  /**
   * Converts events of earlier versions, e.g. in imported logs, when they are read. Pawl's own upcasters are
   * always included.
   */
  upcasters?: Upcasters;
  /**
   * Stores payloads above 256 kB outside of the log, see {@link withBlobs}. Default: all payloads are in the
   * log. Once a log has blobs, every process that uses it needs this option, or gets `store_unavailable`.
   */
  blobs?: BlobStore;
}

/** Runs agents over one store. Made by `runtime()`. */
export interface Runtime {
  /** The agents, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** The store, with blobs and upcasters applied. It returns what was redacted; `readShown` does not. */
  readonly store: EventStore;
  /**
   * Starts a run with a message, continues one with answers, or retries one. Returns at once; see
   * {@link Run}.
   */
  run(agent: string, options: RunOptions | RetryRunOptions): Run;
  /**
   * Stops the session's open run, in whichever process it is. Does nothing if no run is open. Rejects with
   * `not_found` if the session is not the user's.
   */
  stop(sessionId: string, options: { userId: string }): Promise<void>;
  /** Reads the session as its owner sees it. Rejects with `not_found` if it is not the user's. */
  view(sessionId: string, options: { userId: string }): Promise<SessionView>;
  /**
   * Yields the session's events after `afterSeq` (default: all), then new ones until `signal` aborts. An
   * answer in progress is sent from its beginning, or from `live` on; `advanceCursor` tracks a reader's
   * position. With `untilIdle`, ends after the next `run_suspended` or `run_ended`, unless that end starts
   * another run. To wait for one run, pass what `Run.started` resolves to.
   *
   * With `resume`, for a reader in another process, e.g. behind an HTTP stream: resumes the session's run
   * whenever no process is working on it. If this process hands the run over (`handOverAfterMs`), the reader
   * gets `draining` and should connect again.
   *
   * **No access check.** Verify that the session belongs to the user before you send its events anywhere.
   */
  follow(
    sessionId: string,
    options?: Partial<Cursor> & { signal?: AbortSignal; untilIdle?: boolean | AwaitedRun; resume?: boolean },
  ): AsyncIterable<SessionEvent>;
  /**
   * Makes the model's context begin at the event `fromSeq`, or at the last place before it where a
   * conversation can begin. Resolves to the `seq` of that place. Earlier events stay in the log and in the
   * view. Rejects with `not_found`, `invalid_input`, or `session_busy` while a run is open.
   */
  startContextAt(sessionId: string, options: { userId: string; fromSeq: number }): Promise<number>;
  /**
   * Redacts an event: from now on, `[redacted]` is sent to the model and shown to readers instead of its
   * content. Rejects with `not_found`, `invalid_input`, or `session_busy` while a run is open.
   *
   * `seq` names a message, an answer of the model, a result, knowledge, an artifact, a note, a summary, or a
   * `prefix` for the user data in it. With a call or its result, what a sub-agent wrote for that call is
   * redacted too.
   *
   * The stored row stays. Summaries, copies (`fork`) and the model's provider may keep the content.
   */
  redact(sessionId: string, seq: number, options: { userId: string }): Promise<void>;
  /**
   * Creates a session of the same user with a copy of this one's log, up to the last end of a run that is not
   * after `atSeq` (default: the last of all). Its metadata have `forked_from: { session_id, seq }`, and its
   * totals begin at 0. Rejects with `not_found`, or with `invalid_input` if no run has ended by then.
   */
  fork(sessionId: string, options: { userId: string; atSeq?: number }): Promise<Session>;
  /**
   * Returns the user's newest active or suspended session with this agent, or creates one. Concurrent calls,
   * in any process, get the same session.
   */
  getOrCreateSession(agent: string, userId: string): Promise<Session>;
  /**
   * Recovers every run that no process is working on. Resolves to the number of runs that were recovered
   * here.
   */
  sweep(): Promise<number>;
  /** Sweeps at once, and then once per lease time. Call it once in each long-lived process. */
  start(): void;
  /**
   * Shuts this process's runtime down: starts nothing more, and lets each run finish its turn for up to
   * `timeoutMs` (default: 30,000) by the runtime's clock. Other processes resume the runs, including those
   * that were cut off. Then readers here end with `draining`. Call it on SIGTERM.
   */
  drain(options?: { timeoutMs?: number }): Promise<void>;
}
