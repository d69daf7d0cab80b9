import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Json, JsonObject } from "../../base/json.ts";
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

/** All options of `runtime()`. `Name` are the names of the agents. */
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
   * Called with a promise for everything that this runtime works on: each run that is being started and each
   * leg, including legs that a sweep started. The promises never reject. Pass the platform's function if work
   * ends with its request there, e.g. `waitUntil: (work) => ctx.waitUntil(work)` on Cloudflare Workers,
   * `waitUntil` of `@vercel/functions`, `(work) => after(() => work)` in Next, `EdgeRuntime.waitUntil` on
   * Supabase. Default: not called.
   */
  waitUntil?(work: Promise<unknown>): void;
  /**
   * How many runs this process works on at a time, a whole number. Further runs wait for their turn: their
   * messages are stored, and the `engine` continues them. Users take turns, if the engine can tell them
   * apart. Not counted: sub-agents, whose caller waits for them, and runs with `credentials`, which no other
   * process has. With 0, every run is given to the engine, e.g. in a process that only serves requests. This
   * needs an `engine`; use `localEngine()` of `@pawl/core/store` if workers find the runs by sweeps. Default:
   * no limit; 100 with `engine`.
   */
  concurrency?: number;
  /**
   * Wakes the runs that wait for a process, in this one or another one. Call `start()` in each process that
   * should work. Default with `concurrency`: they wait in the memory of this process; if it dies, another
   * process finds them by a sweep.
   */
  engine?: Engine;
  /**
   * Called with errors that no caller receives, e.g. if a session cannot be recovered. Also called once for
   * each run that ends as `error`, with the error that ended it: of the model or its answer, of `deps`, or of
   * a hook that is called before a model call. The message of the latter begins with the method, the hook and
   * the agent, and its `cause` is the hook's own error. If there is no error, e.g. because a hook chose this
   * ending, the error names the run and its session. Also called if a tool's schema, `payload` of
   * `suspends`, or `agents` of `agentTool()` throws. The hooks' `afterTool` gets what a tool throws. Default:
   * prints the error's message to the console, with a link to the error's page.
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
  /** How much of the work that requests cause this process does at the same time. */
  workLimits?: WorkLimits;
  /** How long the runtime leases, waits and works, e.g. `{ handOverAfterMs: 280_000 }`. */
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
     * If four processes in a row reach it in the middle of the same answer, the run ends as `crash_loop`.
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

/** What became of a session that `recover()` was called for. */
export interface Recovered {
  /**
   * - `ended`: no run is open.
   * - `waiting`: the run waits for an answer, or for a time, which comes in `afterMs`.
   * - `busy`: another process is working on it, or it could not be continued. Look again in `afterMs`.
   * - `left`: this process began and gave it up, e.g. because of `times.handOverAfterMs` or `drain()`. Look
   *   again at once.
   */
  outcome: "ended" | "waiting" | "busy" | "left";
  /** When to call `recover()` again, in milliseconds. Absent if only an answer or a message changes it. */
  afterMs?: number;
}

/**
 * Runs agents and stores their logs. Made by `runtime()`. `Name` are the names of its agents: if they are
 * known as types, another name does not compile.
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
    options: RunOptions | RetryRunOptions,
  ): Run<unknown extends Output ? Json : Output>;
  /**
   * Stops the session's open run, in any process. Does nothing if no run is open. Rejects with `not_found` if
   * the session does not belong to the user.
   */
  stop(sessionId: string, options: { userId: string }): Promise<void>;
  /**
   * Returns the session as its owner sees it: messages, questions and the state of the run. Rejects with
   * `not_found` if the session does not belong to the user.
   */
  view(sessionId: string, options: { userId: string }): Promise<SessionView>;
  /**
   * Waits for one of the places in which this process reads sessions for clients, see `workLimits`. `view()`,
   * `fork()`, `redact()` and `handler()` do so. Use it in a route of your own that reads a whole log: call
   * `leave()` of the place in the end, and `holds()` and `rest()` if a client then reads many bytes. Rejects
   * with `overloaded`.
   *
   * **No access check.**
   */
  enterRead(options: {
    userId: string;
    sessionId: string;
    /** Whether only a part of the session is read, e.g. a page. Default: `false`. */
    isPart?: boolean;
    /** Gives the request up when it aborts. */
    signal?: AbortSignal;
  }): Promise<WorkPlace>;
  /**
   * Yields the session's events after `afterSeq` (default: all), then new events until `signal` aborts.
   *
   * - The text of an answer in progress is sent from its beginning, or from the position `live`.
   *   `advanceCursor` computes the position after each event.
   * - With `untilIdle: true`, the iterator ends after the first `run_suspended` or `run_ended` after the
   *   cursor, even if more events are stored, unless that end starts another run. To wait for one run, pass
   *   the value of its `started` promise.
   * - With `resume`, for a reader in another process, e.g. behind an HTTP stream: resumes the session's run
   *   whenever no process is working on it. If this process hands the run over (`times.handOverAfterMs`), the
   *   reader gets `draining` and should connect again. With `credentials`, a run that asks for them gets
   *   them, unless `caller` is another one than the run's. Default of `caller`: the run's own.
   *
   * **No access check.** Check that the session belongs to the user before you send its events anywhere.
   */
  follow(
    sessionId: string,
    options?: Partial<Cursor> & {
      signal?: AbortSignal;
      untilIdle?: boolean | AwaitedRun;
      resume?: boolean;
      caller?: JsonObject;
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
   * `seq` is the number of a user message, a model's answer, a tool result, knowledge, an artifact, a note, a
   * checkpoint, a hook's question or its answer, a `run_ended` (its message), or an extension's event, e.g.
   * `planning.plan`, whose data become `{}`. To redact the user data, pass the number of a `prefix` event.
   * Text that a sub-agent wrote for a redacted call is redacted too, and so are extensions' events with the
   * `call_id` of a redacted answer, result or question.
   *
   * `throughSeq` redacts everything from `seq` to that event, e.g. a whole run, except user data. Use it if
   * other events may repeat the content in their own words: later answers, notes and plans.
   *
   * Files of the event are deleted, unless another event of the user's sessions has them too. The row in the
   * store keeps the other content. Summaries, copies (`fork`) and the model's provider may have it
   * too.
   */
  redact(sessionId: string, seq: number, options: { userId: string; throughSeq?: number }): Promise<void>;
  /**
   * Creates a session of the same user with a copy of a session's log, up to the last `run_ended` at or
   * before `atSeq`. Default: up to the last `run_ended`. The new session's metadata have `forked_from: {
   * session_id, seq }`, and its totals begin at 0. Rejects with `not_found`, or with `invalid_input` if no
   * run has ended by then.
   */
  fork(sessionId: string, options: { userId: string; atSeq?: number }): Promise<Session>;
  /**
   * Returns the user's newest active or suspended session with this agent, or creates one. Concurrent calls
   * in any process get the same session. `agent` is an agent of this runtime, or its name.
   */
  getOrCreateSession(agent: Name | Agent<never, Name>, userId: string): Promise<Session>;
  /**
   * Continues the session's open run, if no process is working on it and it does not wait, and resolves once
   * this process is done with it: the run has ended or waits, or this process has given it up. For an
   * engine of your own, a cron job or an alarm. If `signal` aborts, another process continues the run. An
   * `idempotent` call that was in progress then runs again, unless the signal is that of
   * `AbortSignal.timeout()`: such a call would not fit into the next process's time either.
   *
   * **No access check.**
   */
  recover(sessionId: string, options?: { signal?: AbortSignal }): Promise<Recovered>;
  /**
   * Recovers every run that no process is working on. Resolves to the number of runs that this call
   * recovered, once they have begun, and with `wait` once this process is done with them. Runs for which it
   * has no place are left to the engine. Reports to `onError`, once for each name, an agent that has such
   * runs and that this runtime lacks.
   */
  sweep(options?: { wait?: boolean }): Promise<number>;
  /**
   * Calls `sweep()` at once and then once per lease time, and works for the `engine`. Call it once in each
   * long-lived process.
   */
  start(): void;
  /**
   * Shuts the runtime down. Call it on SIGTERM.
   *
   * Starts no new work, and lets each run finish its turn for up to `timeoutMs` milliseconds (default:
   * 30,000). Runs that take longer are cut off. Other processes continue all open runs. Readers of a run that
   * ended in time get all of it. The others end with the error `draining`.
   */
  drain(options?: { timeoutMs?: number }): Promise<void>;
}
