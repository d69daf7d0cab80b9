import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Instead } from "../../base/hints.ts";
import type { Json, JsonObject, JsonObjectInput } from "../../base/json.ts";
import type { WorkPlace } from "../../base/work-limit.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FileStore } from "../../files/file-store.ts";
import type { UserFiles } from "../../files/user-files.ts";
import type { AwaitedRun } from "../../log/handover.ts";
import type { Session } from "../../log/session-row.ts";
import type { EventStore } from "../../log/store/event-store.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import type { LiveTail } from "../../log/store/live-tail.ts";
import type { Cursor } from "../../readers/cursor.ts";
import type { BlobStore } from "../../stores/blob-store.ts";
import type { Upcasters } from "../../stores/upcast.ts";
import type { ViewState } from "../../view/view.ts";
import type { Run } from "../leg/run-handle.ts";
import type { WorkLimits } from "../leg/work-limits.ts";
import type { RetryRunOptions, RunOptions } from "./run-options.ts";

/**
 * A session's row and its view. To keep the view up to date, follow the session from `cursor` and apply each
 * event with `reduceView`.
 */
export interface SessionView extends ViewState {
  /** The session's row. */
  session: Session;
}

/** Options of `runtime()`, see {@link RuntimeSettings}. `deps` is optional if no agent needs it. */
export type RuntimeOptions<Deps, Name extends string = string> = undefined extends Deps
  ? Omit<RuntimeSettings<Deps, Name>, "deps"> & Partial<Pick<RuntimeSettings<Deps, Name>, "deps">>
  : RuntimeSettings<Deps, Name>;

/** All options of `runtime()`. `Name` is a union of the names of the agents. */
export interface RuntimeSettings<Deps, Name extends string = string> {
  /** The agents. `run()` takes one of them, or its name. */
  agents: readonly Agent<Deps, Name>[];
  /** The store that keeps all logs, e.g. `memoryStore()`. */
  store: EventStore;
  /**
   * Returns the dependencies of tools, hooks and `userData` for a run, e.g. the user's database. Called at
   * least once for each run in each process that works on it, and again after an answer of another caller or
   * with other credentials. If it fails, the message is stored all the same, and the run ends as an error.
   */
  deps: (
    /**
     * The session's row. The first call may come before the run's message is stored: the log may lack that
     * message, and the run may not start at all.
     */
    session: Session,
    run: {
      /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
      caller: JsonObject;
      /**
       * The caller's credentials; `undefined` in a process that has none, also for the hooks of a run that a
       * new message replaces.
       */
      credentials: unknown;
    },
  ) => Deps | Promise<Deps>;
  /**
   * What happens to a run with credentials if the process that would continue it does not have them. Default:
   * `ask`.
   *
   * - `ask`: the run asks for them by a question of the kind `credentials`. The next request that has
   *   credentials answers it: `run()` with the answer `true`, or `follow()` with `resume`.
   * - `stop`: the run ends as `credentials_missing`.
   */
  withoutCredentials?: "ask" | "stop";
  /**
   * Notifies readers of new events, also in other processes. Default: only readers in this process are
   * notified; other processes poll. Do not share a tail between runtimes with different stores, because a
   * tail knows sessions only by their ids.
   */
  tail?: LiveTail;
  /**
   * Called with a promise for all work of this runtime: each start of a run, and each leg, including legs
   * that a sweep started. The promises never reject. Use it on a platform that ends a process's work with the
   * request:
   *
   * - Cloudflare Workers: `(work) => ctx.waitUntil(work)`
   * - Vercel: `waitUntil` of `@vercel/functions`
   * - Next: `(work) => after(() => work)`
   * - Supabase: `EdgeRuntime.waitUntil`
   *
   * Default: not called.
   */
  waitUntil?(work: Promise<unknown>): void;
  /**
   * How many runs this process works on at a time, a whole number. Further runs wait: their messages are
   * stored, and the `engine` continues them later. An engine may share the places fairly between users. Not
   * counted: sub-agents, whose caller waits for them, and runs with `credentials`, which no other process
   * has. Default: no limit; 100 with `engine`.
   *
   * With 0, every run is given to the engine, e.g. in a process that only serves requests. This needs an
   * `engine`; use `localEngine()` of `@pawl/core/store` if workers find the runs by sweeps.
   */
  concurrency?: number;
  /**
   * Wakes the runs that wait for a process, in this one or another one. Call `start()` in each process that
   * should work. Default: none. With `concurrency`, the default is an engine in the memory of this process.
   * If the process dies, another process finds the waiting runs by a sweep.
   */
  engine?: Engine;
  /**
   * Called with errors that no caller receives, e.g. if a session cannot be recovered. Default: prints the
   * error's message to the console, with a link to the error's page. Also called:
   *
   * - once for each run that ends as `error`, with the error that ended it: of the model or its answer, of
   *   `deps`, or of a hook that is called before a model call. If there is no error, e.g. because a hook
   *   chose this ending, the error names the run and its session.
   * - if a tool's schema, `payload` of `suspends`, or `agents` of `agentTool()` throws.
   * - if a run fails and nobody has read its `result` or `started` by then.
   * - once for each mistake that only the model would read: a tool throws a `TypeError` or `ReferenceError`
   *   of the language, Pawl refuses the options of a function that the tool calls, e.g. of
   *   `context.runAgent()`, or JSON would lose a part of its result.
   * - once, if a field of a result is read from the run itself, as `const { text } = await pawl.run(…)` does.
   *
   * The message of a hook's error begins with the method, the hook and the agent. Its `cause` is the error
   * that the hook threw. Other errors of tools are not reported here: the hooks' `afterTool` gets them.
   */
  onError?(error: unknown): void;
  /**
   * Converts events of older formats when they are read, e.g. in imported logs. Pawl's own conversions are
   * always included.
   */
  upcasters?: Upcasters;
  /**
   * Stores payloads above 256 kB outside the log, see {@link withBlobs}. Default: all payloads are in the
   * log. Once a log has blobs, every process that uses it needs this option; without it, runs reject with
   * `store_unavailable`.
   */
  blobs?: BlobStore;
  /**
   * Keeps the files of users' messages, and pictures and PDFs in tool results, e.g. `diskFiles("files")`. The
   * log has references to them. Every process that uses the log needs the same files. Default: messages with
   * files are refused, and the log contains the files of tool results.
   */
  files?: FileStore;
  /**
   * Limits for the work that requests cause in this process at the same time. Default: see
   * {@link WorkLimits}.
   */
  workLimits?: WorkLimits;
  /** Durations of leases, waits and pauses, e.g. `{ handOverAfterMs: 280_000 }`. */
  times?: {
    /**
     * The duration of a lease, in milliseconds. If a process dies, its runs can be recovered after this time.
     * Default: 10,000.
     */
    leaseTtlMs?: number;
    /**
     * The time that a stopped run waits for tools that ignore their abort signal, in milliseconds. After
     * that, the tools are abandoned. Default: 1,000.
     */
    abortGraceMs?: number;
    /**
     * How long this process may work on a session without interruption, in milliseconds. In the last fifth of
     * this time no new turn starts, and at its end in-flight work is aborted. The lease is released, so that
     * the next request continues the run at once. Set it 10 to 20 s below the platform's time limit. Default:
     * no limit.
     *
     * If four processes in a row reach this time during the same answer, the run ends as `crash_loop`.
     */
    handOverAfterMs?: number;
    /**
     * The interval at which the store is queried for events of other processes while a session has readers,
     * in milliseconds. All readers of a session share one query. With a store or tail that reports every
     * append (`memoryStore()`, `postgresTail()` while it is `listening`), an idle session is queried once a
     * minute. Default: 1,000.
     */
    pollMs?: number;
    /**
     * Pauses before each retry of an append, and of opening a session, when the store is unavailable, in
     * milliseconds. A sweep does not retry opening a session: the next sweep does. Default: `[50, 250]`.
     */
    storeRetryMs?: readonly number[];
  };
  /** A clock and ids for tests, e.g. `{ clock: testClock() }`. Default: the system clock and random ids. */
  testing?: {
    /** Returns a new unique id for a session, a run or an append. Default: random ids. */
    newId?(): string;
    /**
     * The clock for limits, timeouts, durations, lease renewals, sweeps and `drain()`. Default: the system
     * clock.
     *
     * Leases expire by the store's clock, so give the store the same clock. While a test clock stands still,
     * e.g. `testClock()` of `@pawl/testing`, leases are not renewed.
     */
    clock?: Clock;
  };
}

/** The state of a session after `recover()`. */
export interface Recovered {
  /**
   * - `ended`: no run is open.
   * - `waiting`: the run waits for an answer, or for a time, which comes in `afterMs`.
   * - `busy`: another process is working on the run, or the run could not be continued. Call again in
   *   `afterMs`.
   * - `left`: this process has left the run to others, e.g. because of `times.handOverAfterMs`, `drain()` or
   *   an aborted `signal`. Call again at once, e.g. in another process.
   */
  outcome: "ended" | "waiting" | "busy" | "left";
  /**
   * The time until `recover()` should be called again, in milliseconds. Absent if only an answer or a message
   * changes the outcome, and for `left`.
   */
  afterMs?: number;
}

/**
 * Runs agents and stores their logs. Made by `runtime()`. `Name` is a union of the names of its agents. If
 * TypeScript knows the names, any other name does not compile.
 */
export interface Runtime<Name extends string = string> {
  /** The agents, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
  /**
   * The store, with `blobs` and `upcasters` applied. It also returns redacted content; to read without it,
   * use `readShown`.
   */
  readonly store: EventStore;
  /** The users' files. Its methods reject with `config` if this runtime was made without `files`. */
  readonly files: UserFiles;
  /**
   * Starts a run with a message, continues one with answers, or retries one. Returns at once; await the
   * `result` of the returned {@link Run}. `agent` is an agent of this runtime, or its name. For any other
   * agent, the run rejects with `not_found`. Given the agent itself, `result.output` has the type that the
   * agent declares.
   */
  run<Output = unknown>(
    agent: Name | Agent<never, Name, Output>,
    options: (RunOptions | RetryRunOptions) & Instead<"run">,
  ): Run<unknown extends Output ? Json : Output>;
  /**
   * Stops the session's open run, in any process. Does nothing if no run is open. Resolves when the request
   * is stored. If no process is working on the run, e.g. because it waits for an answer, resolves when it has
   * ended, with its `afterRun` hooks, so that a view shows the end. Rejects with `not_found` if the session
   * does not belong to the user, and with `store_unavailable`.
   */
  stop(sessionId: string, options: { userId: string }): Promise<void>;
  /**
   * Returns the session as its owner sees it: messages, questions and the state of the run. Rejects with
   * `not_found` if the session does not belong to the user.
   */
  view(sessionId: string, options: { userId: string }): Promise<SessionView>;
  /**
   * Waits until this process may read one more session for a client, see `workLimits`. `view()`, `fork()`,
   * `redact()` and `handler()` wait by themselves. Call it in a route of your own that reads a whole log.
   * Call `leave()` of the returned place in the end, and `holds()` and `rest()` if a client then reads many
   * bytes. Rejects with `overloaded`.
   *
   * **No access check.**
   */
  enterRead(options: {
    userId: string;
    sessionId: string;
    /** Whether only a part of the session is read, e.g. a page. Default: `false`. */
    isPart?: boolean;
    /** Ends the wait when it aborts. */
    signal?: AbortSignal;
  }): Promise<WorkPlace>;
  /**
   * Yields the session's events after `afterSeq` (default: all), then new events until `signal` aborts.
   *
   * - The text of an answer in progress is sent from its beginning, or from the position `live`.
   *   `advanceCursor` computes the position after each event.
   * - With `untilIdle: true`, the iterator ends with the first event after the cursor by which a run ends or
   *   asks the user, even if more events are stored. It goes on if that run hands messages over to a next
   *   run. To wait for one run, pass the value of its `started` promise.
   * - With `resume`, the session's run is resumed whenever no process is working on it. Use it for clients,
   *   e.g. behind an HTTP stream. If this process hands the run over (`times.handOverAfterMs`), the iterator
   *   throws `draining`, and the client should connect again.
   * - With `resume` and `credentials`, a run that asks for credentials gets them, unless `caller` is another
   *   one than the run's. Default of `caller`: the run's own.
   *
   * **No access check.** Check that the session belongs to the user before you send its events anywhere.
   */
  follow(
    sessionId: string,
    options?: Partial<Cursor> & {
      signal?: AbortSignal;
      untilIdle?: boolean | AwaitedRun;
      resume?: boolean;
      caller?: JsonObjectInput;
      credentials?: unknown;
    },
  ): AsyncIterable<SessionEvent>;
  /**
   * Makes the model's context begin at the event `fromSeq`, or at the last earlier event where a conversation
   * can begin. Resolves to the `seq` of that event. Earlier events stay in the log and in the view. Rejects
   * with `not_found`, `invalid_input`, or `session_busy` while a run is open.
   */
  startContextAt(sessionId: string, options: { userId: string; fromSeq: number }): Promise<number>;
  /**
   * Redacts an event: the model and readers get `[redacted]` instead of its content from now on. Rejects with
   * `not_found`, `invalid_input`, or `session_busy` while a run is open.
   *
   * `seq` is the number of one of these events:
   *
   * - a user message, a model's answer, a tool result, knowledge, an artifact, a note, a checkpoint;
   * - a hook's question or its answer; whether the user has approved stays;
   * - a `run_ended`, for its message;
   * - a `prefix`, for the user data;
   * - an extension's event, e.g. `planning.plan`, whose data become `{}`.
   *
   * Text that a sub-agent wrote for a redacted call is redacted too. So are extensions' events with the
   * `call_id` of a redacted answer, result or question.
   *
   * `throughSeq` redacts everything from `seq` to that event, e.g. a whole run, except user data. Use it if
   * other events may repeat the content in their own words: later answers, notes and plans.
   *
   * Files of the event are deleted, unless another event of the user's sessions has them too. All other
   * content stays in the store's row. Summaries, forks and the model's provider may also keep the content.
   */
  redact(sessionId: string, seq: number, options: { userId: string; throughSeq?: number }): Promise<void>;
  /**
   * Creates a session of the same user with a copy of a session's log, up to the last `run_ended` at or
   * before `atSeq`. Default: up to the last `run_ended`. The new session's metadata have `forked_from: {
   * session_id, seq }`, and its totals begin at 0. Rejects with `not_found`, or with `invalid_input` if the
   * log has no `run_ended` up to `atSeq`.
   */
  fork(sessionId: string, options: { userId: string; atSeq?: number }): Promise<Session>;
  /**
   * Returns the user's newest active or suspended session with this agent, or creates one. Concurrent calls
   * in any process get the same session. `agent` is an agent of this runtime, or its name.
   */
  getOrCreateSession(agent: Name | Agent<never, Name>, userId: string): Promise<Session>;
  /**
   * Continues the session's open run, if no process is working on it and it does not wait. Resolves once the
   * run has ended or waits, or once this process has left it to others. For an engine of your own, a cron job
   * or an alarm.
   *
   * If `signal` aborts, this process leaves the run, and another process can continue it. An `idempotent`
   * call that was in progress then runs again. After the abort of an `AbortSignal.timeout()` it does not,
   * because it would not fit into the next process's time either.
   *
   * **No access check.**
   */
  recover(sessionId: string, options?: { signal?: AbortSignal }): Promise<Recovered>;
  /**
   * Recovers every run that no process is working on. Resolves to the number of recovered runs once they have
   * begun, or with `wait` once this process is done with them. The engine gets the runs for which this
   * process has no place. If this runtime lacks the agent of such a run, the agent's name is reported to
   * `onError` once.
   */
  sweep(options?: { wait?: boolean }): Promise<number>;
  /**
   * Calls `sweep()` at once and then once per lease time, and continues the sessions that the `engine` wakes.
   * Call it once in each long-lived process. `concurrency` counts if `runtime()` has no option of this name,
   * e.g. for a program that starts a runtime which it has not made: the limit of this process from now on, a
   * whole number from 1.
   *
   * @throws PawlError `config` for unknown options and other numbers
   */
  start(options?: { concurrency?: number }): void;
  /**
   * Shuts the runtime down. Call it on SIGTERM.
   *
   * Starts no new work, and lets each run finish its turn for up to `timeoutMs` milliseconds (default:
   * 30,000). Turns that take longer are aborted. Other processes continue all open runs. Readers of a run
   * that ended in time get all of its events. Other readers end with the error `draining`.
   */
  drain(options?: { timeoutMs?: number }): Promise<void>;
}
