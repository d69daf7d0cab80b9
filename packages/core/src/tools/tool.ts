import type { Json, JsonInput, JsonObject } from "../base/json.ts";
import type { Budget } from "../log/budget.ts";
import type { AppendableEvent, EventType, ExtensionType, ReadEvent, ReadOptions } from "../log/event.ts";
import type { EmittedPart, ShortenInput } from "../log/event-parts.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { SourceReference } from "../log/stored-report.ts";
import type { ToolSpec } from "../model/content.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Infer, Schema } from "../schema/schema.ts";
import type { Artifact, ArtifactDraft } from "./artifact.ts";
import type { AskOptions, AskOutcome } from "./ask-types.ts";
import type { Expiry, Moment } from "./expiry.ts";
import type { RunAgent, TaskAgent } from "./run-agent-types.ts";
import type { Suspends } from "./suspends.ts";
import type { ToolSource } from "./tool-source.ts";

/**
 * The second argument of a tool's `execute`: the call, the session and what a tool can do with them.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime, type ToolContext, tool } from "@pawl/core";
 * import { eventLine } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const search = tool({
 *   name: "search",
 *   description: "Searches the mail.",
 *   input: z.object({ query: z.string() }),
 *   execute: async ({ query }, { append, report, idempotencyKey: key }: ToolContext) => {
 *     await append({ type: "search.query", data: { query }, key });
 *     report({ connector: "gmail", costUsd: 0.002, summary: "No mail" });
 *     return [];
 *   },
 * });
 * const finder = agent({
 *   name: "finder",
 *   model: scriptedModel([{ tools: [{ name: "search", input: { query: "Q4" } }] }, { text: "Nothing." }]),
 *   instructions: "You search.",
 *   tools: [search],
 * });
 * const store = memoryStore();
 * const { sessionId } = await runtime({ agents: [finder], store }).run("finder", {
 *   userId: "ada",
 *   input: "Q4?",
 * }).result;
 * for await (const event of store.read(sessionId, { types: ["search.query", "tool_result"] })) {
 *   console.log(eventLine(event)); // … search.query … tool_result … gmail · No mail · $0.0020 …
 * }
 * ```
 */
export interface ToolContext<Deps = unknown, Answer = unknown> {
  /** Id of the session. */
  sessionId: string;
  /** The id of the session's owner. */
  userId: string;
  /** Id of the run. */
  runId: string;
  /** The `params` with which the run was started (`RunOptions.params`). Default: `{}`. */
  params: JsonObject;
  /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
  caller: JsonObject;
  /** The caller's credentials, see `RunOptions.credentials`. Default: `undefined`. */
  credentials: unknown;
  /** Id of the call, as the model gave it. */
  callId: string;
  /**
   * An id of the call that stays the same if the call is run again, also in another process. Pass it to
   * services that support idempotency keys.
   */
  idempotencyKey: string;
  /**
   * The value that the runtime's `deps` option returned for this session. Declare its type at the parameter:
   * `(input, { deps }: ToolContext<Deps>)`.
   */
  deps: Deps;
  /** Aborts when the run is stopped, the tool's time is up, or another process takes over the session. */
  signal: AbortSignal;
  /** The user's answer, for a tool that `suspends`; otherwise `undefined`. */
  answer: Answer;
  /**
   * The answer to the last question of this call's `ask()`, or the end of its last `wait()`. `undefined` if
   * the call has neither asked nor waited.
   *
   * - `value`: the user's answer, or the question's default; `null` after `wait()`
   * - `state`: the `state` that was stored with the question or the wait; `null` without one
   * - `questions`: the number of the call's questions and waits so far
   * - `expired`: `true` if the question got its default because nobody had answered in time
   */
  answered: { value: Json; state: Json; questions: number; expired?: true } | undefined;
  /**
   * Asks the user a question while the tool runs. It throws, so nothing after it runs. The question is
   * stored, and the run waits for the answer, for days if necessary. Then `execute` is called again from the
   * top, also in another process, with the answer in `answered`. So ask before any step that must happen only
   * once, or store the finished steps in `state`. Artifacts and changes of the mode from before the question
   * are dropped.
   *
   * - `kind`, `payload`: for the client, which chooses an input control by `kind`
   * - `answer`: the schema that an answer must match
   * - `state`: any JSON that `execute` needs to continue. It is in the log; clients over HTTP do not get it.
   * - `expires`: when an unanswered question gets the answer `default`. Default: never.
   *
   * Use the tool's `suspends` if the question is known before the tool runs. Throws a PawlError
   * `invalid_input` for an invalid question, in a tool with `suspends`, and once the call has its result.
   */
  ask(question: {
    kind: string;
    payload: JsonInput;
    answer: Schema;
    state?: JsonInput;
    expires?: Expiry;
  }): never;
  /**
   * Suspends the call for a time, e.g. before it polls a job in another system again. It throws, so nothing
   * after it runs. The wait is stored, and no process is needed in the meantime. Then `execute` is called
   * again from the top, with `answered`: by this process, or by any that runs `runtime.start()`. Clients show
   * a running call, and no question.
   *
   * - `afterMs` or `at`: how long, or until when; by the store's clock
   * - `state`: any JSON that `execute` needs to continue, see `ask()`
   *
   * Waiting does not count towards the tool's or the run's time limit. A message that arrives meanwhile is
   * treated as during any run, see `whenBusy`. If the run is stopped, the model reads that the outcome of the
   * call is unknown. Throws a PawlError `invalid_input` for an invalid time, in a tool with `suspends`, and
   * once the call has its result.
   */
  wait(until: Moment & { state?: JsonInput }): never;
  /**
   * Sends a progress report to connected clients: the reports of a call in their order, and the last one
   * always before the call's result. Reports are not stored. A report of more than 10,000
   * characters of JSON is sent as text, and cut.
   *
   * Clients get reports at most ten times a second, and then only the newest one. With `{ conflate: false }`
   * a client gets this report too, unless it is more than 200,000 characters of reports behind.
   *
   * A report that JSON would lose in part, e.g. one with `NaN`, is not sent: `onError` gets an error.
   */
  progress(data: JsonInput, options?: { conflate?: boolean }): void;
  /**
   * Emits a part of your own for pages, e.g. `{ type: "data-weather", data: { celsius: 12 } }`. Pages show it
   * in the run's message, and the model never reads it. The part is stored in the log at once, in order with
   * the run's other events, also if the call fails later.
   *
   * - `type`: `data-` and 1 to 195 characters without spaces and colons. Not `data-output`, `data-artifact`,
   *   `data-role`, `data-tool-progress` and `data-tool-status`: Pawl's own parts have these names
   * - `data`: any JSON, at most a million characters
   * - `id`: 1 to 200 characters; a part with the `type` and `id` of an earlier part of the same message
   *   replaces it
   * - `transient`: the part is not stored. Connected clients get it; one that connects while the call is
   *   running may get it again. Its data have at most 50,000 characters. Default: `false`.
   *
   * An `idempotent` tool runs again after a crash, and emits its parts again: give them an `id`. Resolves
   * once the part is stored.
   *
   * Rejects with a PawlError `invalid_input` for an invalid part, which `onError` gets too, and once the call
   * has its result.
   */
  emit(part: EmittedPart): Promise<void>;
  /**
   * Reports facts about the call. They are stored with its result, also if it fails, and appear in timelines,
   * spans and metrics. May be called several times: the last value of each field counts.
   *
   * - `costUsd`: what the call has cost so far, in US dollars. Counts towards the run's limits and the
   *   session's totals.
   * - `connector`: the service or data source that the tool used, e.g. `gmail`
   * - `fragments`: the ids of the things that were found, e.g. of documents; at most 1,000
   * - `sources`: the things that were found, for people: pages show a link or a title. At most 1,000. `id` is
   *   unique among the sources; `url` must be an http or https address. `storedResultLimit` counts them.
   * - `summary`: the outcome in a few words, for people. Cut to 1,000 characters. Clients can read it.
   *
   * If the process dies before the result is stored, the report is lost with it. Throws a PawlError
   * `invalid_input` for invalid values, and once the call has its result. To report an error code, throw an
   * error with a `code`.
   */
  report(facts: {
    costUsd?: number;
    connector?: string;
    fragments?: readonly string[];
    sources?: readonly SourceReference[];
    summary?: string;
  }): void;
  /**
   * Stores an event in the session's log at once, also if the call fails later. Events with a dot in their
   * type, e.g. `planning.plan`, are for your own use, and clients can read them. The model reads `note` and
   * `knowledge` from its next turn on, after the call's result. `spending` charges a model that the tool
   * called itself.
   *
   * An `idempotent` tool runs again after a crash, so give the event a `key`: an event with a stored key is
   * not stored again. Keys are unique in their session; `idempotencyKey` is one. Resolves to `false` if the
   * key is stored already, otherwise to `true`.
   *
   * Rejects with a PawlError `invalid_input` if the event is invalid or longer than a million characters, and
   * once the call has its result.
   */
  append(event: Exclude<AppendableEvent, { type: "artifact" }>): Promise<boolean>;
  /**
   * Reads the events of the session's log; redacted content is replaced. Default: all events. Use it to
   * compute what the tool needs to remember from earlier calls.
   */
  read<T extends EventType | ExtensionType = EventType | ExtensionType>(
    options?: ReadOptions<T>,
  ): AsyncIterable<ReadEvent<T>>;
  /**
   * Asks a model once, with the options of `askModel()`. It is refused if the run's limits leave no room for
   * a whole answer. It ends when `signal` aborts. A `spending` event charges the run for it, also if it
   * fails.
   *
   * With a `key`, the answer is stored with its cost. A later `askModel()` with the same key returns the
   * stored answer and costs nothing, also if an `idempotent` tool runs again after a crash. Keys are unique
   * within one tool call. If the process dies before the answer is stored, the model is asked again, and the
   * first answer is not charged. After a failure, no answer is stored.
   *
   * @throws PawlError as `askModel` does, and `limit_reached` if the limits leave no room.
   */
  askModel<S = undefined>(
    model: ModelClient,
    options: AskOptions<S> & { key?: string },
  ): Promise<AskOutcome<[S] extends [undefined] ? undefined : Infer<S>>>;
  /**
   * Runs another agent on a task, in a session of its own. Resolves to the result once its run has ended.
   * `stop.type` is `end_turn` or `terminal_tool` if the agent is done; otherwise it is why the run has ended.
   *
   * - The key makes the task durable: the same key in the same call continues the task, or returns its
   *   result, also after a crash. Neither the input nor the agent is part of the key.
   * - The run is charged for what the task uses, within its limits. A stop of the run stops the task.
   * - If the agent asks the user, the question is passed up as one of this call. Then `execute` is called
   *   again from the top, as with `ask()`, and finished tasks return their results at once.
   * - Mark the tool `idempotent`, so that `execute` also runs again after a crash.
   *
   * Tasks with different keys may run at the same time, by `Promise.all`. Do not catch what this throws.
   *
   * @throws PawlError `config` for invalid options and for a key of another agent's task. `invalid_input` for
   * a blank input, and for a question of the agent in a tool with `suspends`. `limit_reached` if agents run
   * agents more than eight levels deep, or if the cost is limited and a model of the agent has no prices.
   */
  readonly runAgent: RunAgent;
  /**
   * Makes an artifact and returns its id, `art_…`. It is stored together with the call's result, if the call
   * succeeds. Throws a PawlError `invalid_input` if the draft is invalid.
   */
  createArtifact(draft: ArtifactDraft): string;
  /**
   * Finds an artifact of the session by its id. Artifacts can be found once the call that made them has its
   * result. To give an artifact to the user, return it from `execute`; with the tool's `format`, show the
   * model its name instead of the payload.
   */
  artifact(id: string): Promise<Artifact | undefined>;
  /** The session's type: the mode if a tool has set one, or else its `metadata.type`. */
  type: string | undefined;
  /** Sets the session's status to `completed` when this run ends. */
  completeSession(): void;
  /**
   * Sets the session's mode if the call succeeds; `null` clears the mode. In an agent with `roles`, the mode
   * is the role that speaks. The hook `permissions()` allows tools by mode.
   */
  setMode(mode: string | null): void;
}

/**
 * A tool for an agent, made by {@link tool}: {@link ToolOptions} with the defaults filled in. `Deps` is the
 * type of the `deps` that the tool needs. `Types` has the types of its name, input, result and question, for
 * `result.output` and for pages. They are lost where a tool is declared as `Tool<Deps>`.
 */
export interface Tool<Deps = unknown, Types = unknown> {
  /** The types of the tool. Only the compiler knows this field: it has no value. */
  readonly "~types"?: Types;
  readonly name: string;
  /** The tool in the form in which the model gets it. */
  readonly spec: ToolSpec;
  readonly input: Schema;
  readonly category: string | undefined;
  readonly status: { readonly start?: string; readonly done?: string };
  readonly timeoutMs: number | undefined;
  readonly maxResultChars: number | undefined;
  readonly shortenInput: ShortenInput | undefined;
  readonly idempotent: boolean;
  readonly repeatable: boolean | undefined;
  readonly dependsOn: readonly string[];
  readonly endsRun: boolean | SessionStatus;
  /** The agent that takes the conversation over if the call succeeds, see `AgentOptions.handOverTo`. */
  readonly handsOverTo?: string;
  readonly suspends: Suspends<unknown, Schema> | undefined;
  /** `client` if a page runs the tool. `suspends` then has the schema of its result. */
  readonly runsIn?: "client";
  /** Whether the client of a run has offered the tool, see `AgentOptions.clientTools`. */
  readonly offered?: true;
  /** The tool's source, if its texts are not the application's own. Set by `mcpTools()`, `remoteTools()`. */
  readonly source?: ToolSource;
  /** What the source claims about the tool, e.g. `{ readOnlyHint: true }` of an MCP server. */
  readonly annotations?: JsonObject;
  /** The agent that does the work, if the tool was made by `agentTool()`. */
  readonly delegate?: Delegate;
  readonly execute?: (input: unknown, context: ToolContext<Deps>) => unknown;
  format?(result: Json): string | readonly { type: string; [field: string]: Json | undefined }[];
}

/** The second argument of the function `agents` of `agentTool()`: the call, its session and its user. */
export type TaskSource<Deps = unknown> = Pick<
  ToolContext<Deps>,
  | "sessionId"
  | "userId"
  | "runId"
  | "callId"
  | "params"
  | "caller"
  | "credentials"
  | "type"
  | "deps"
  | "signal"
>;

/** The agents behind a tool that was made by `agentTool()`. */
export interface Delegate {
  /** Limits of one task that override the agent's own. */
  readonly limits: Partial<Budget>;
  /** The agent of every call; `undefined` if the call's input decides. */
  readonly fixed: TaskAgent | undefined;
  /** Returns the agent for a call, or `undefined` if no agent fits its input. */
  choose(input: unknown, source: TaskSource<never>): TaskAgent | undefined | Promise<TaskAgent | undefined>;
  /** Returns the message that the agent gets for an input. */
  message(input: unknown): string;
  /** What clients of the caller's session see of the agent's work, see `agentTool()`. */
  readonly shows: "text" | "all" | undefined;
  /** Whether the agent gets the conversation so far. */
  readonly history: boolean;
}
