import type { Json, JsonObject } from "../base/json.ts";
import type { Budget, Limits } from "../log/budget.ts";
import type { AppendableEvent, EventType, ExtensionType, ReadEvent, ReadOptions } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { EmittedPart } from "../log/event-parts.ts";
import type { Session } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { ContentBlockParam } from "../model/content.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Infer } from "../schema/schema.ts";
import type { RunResult } from "../session/run-result.ts";
import type { RunState, TurnState } from "../session/state.ts";
import type { AskOptions, AskOutcome } from "../tools/ask-types.ts";
import type { RunAgent } from "../tools/run-agent-types.ts";
import type { Ask, OutcomeChange, PlannedToolCall, ToolChange, ToolOutcome } from "./tool-change.ts";
import type {
  AnswerChange,
  AnswerPart,
  ModelReply,
  PlannedRequest,
  RunStop,
  TurnChange,
  TurnPlan,
  UserMessage,
} from "./turn-plan.ts";

/** The session and the run for which a hook is called. */
export interface HookContext {
  /** Id of the session. */
  sessionId: string;
  /** Id of the session's owner. */
  userId: string;
  /** Id of the run. */
  runId: string;
  /** The agent's name. */
  agent: string;
}

/** The argument `context` of a hook's methods: the session, the run, and what a hook can do with them. */
export interface RunContext<Deps = unknown> extends HookContext {
  /** The session's row, as of the time when this process started to work on the run. */
  readonly session: Session;
  /** The session's type: the mode if a tool has set one, or else its `metadata.type`. */
  readonly type: string | undefined;
  /** The run's state. It is always up to date with the log. */
  readonly run: Readonly<RunState>;
  /**
   * In `beforeRun` and `beforeTurn`: the user's answer to the question that this hook asked there. It matches
   * the question's schema. `undefined` if the hook has not asked, or its question was closed unanswered.
   */
  readonly answer?: Json | undefined;
  /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
  readonly caller: JsonObject;
  /** The caller's credentials, see `RunOptions.credentials`. `undefined` if this process has none. */
  readonly credentials: unknown;
  /** The value that the runtime's `deps` option returned for this session. */
  readonly deps: Deps;
  /** The agent's limits of one run. */
  readonly limits: Readonly<Limits>;
  /**
   * Returns the rest of the run's budget at this moment. Each number is the rest of `limits` or of the
   * agent's `sessionLimits`, whichever is smaller: `Infinity` without a limit, below 0 if a limit was
   * exceeded.
   */
  remaining(): Budget;
  /** Aborts when the run is stopped. A hook that does not return soon afterwards is abandoned. */
  readonly signal: AbortSignal;
  /**
   * Reads the message that the run answers, from the log. If further messages have arrived during the run, it
   * is the newest. Resolves to `undefined` if the session has no message.
   */
  message(): Promise<UserMessage | undefined>;
  /** Reads the events of the session's log; redacted content is replaced. Default: all events. */
  read<T extends EventType | ExtensionType = EventType | ExtensionType>(
    options?: ReadOptions<T>,
  ): AsyncIterable<ReadEvent<T>>;
  /**
   * Returns the user's messages that no answer of the model follows yet: the one that started the run, and
   * those that arrived since then. Messages that a hook has hidden are left out.
   */
  newMessages(): Promise<readonly UserMessage[]>;
  /**
   * Stores an event. The model reads `knowledge`, `artifact` and `note` events from its next turn on. Events
   * with a dot in their type are for your own use.
   *
   * Give the event a `key`, because a hook may be called again after a crash: an event with a stored key is
   * not stored again. Resolves to `false` if the key is stored already, otherwise to `true`.
   *
   * `data` is JSON. A value with a method `toJSON`, e.g. a `Date`, is stored as the method's return value.
   * Fields that are `undefined` are left out.
   *
   * @throws PawlError `invalid_input` if a hook may not store the event, if `data` is missing, or if JSON
   * would lose a part of it, e.g. a `Map`, a function or an instance of a class.
   */
  append(event: AppendableEvent): Promise<boolean>;
  /**
   * Emits a part of your own for pages, e.g. `{ type: "data-title", data: "Plans" }`, as
   * `ToolContext.emit` does. A hook may be called again after a crash, so give the part an `id`.
   *
   * @throws PawlError `invalid_input` for an invalid part, which `onError` gets too, and once the run has
   * ended.
   */
  emit(part: EmittedPart): Promise<void>;
  /**
   * Asks a model once, with the options of `askModel()`. The call is refused if the run's limits leave no
   * room for a whole answer. It ends when `signal` aborts. A `spending` event charges the run for the call,
   * also if the call fails.
   *
   * With a `key`, the answer is stored with its cost. If the same hook asks again with the same key in the
   * same run, also after a crash, it gets the stored answer at no cost. Other hooks and other runs may use
   * the same key. If the process dies before the answer is stored, the model is asked again, and only the
   * second answer is charged. A failed call stores no answer.
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
   * - The key makes the task durable: the same key in the same hook and run continues the task, or returns
   *   its result, also after a crash. Neither the input nor the agent is part of the key.
   * - The run is charged for what the task uses, within its limits. A stop of the run stops the task.
   * - In `beforeRun` and `beforeTurn`, a question of the agent to the user becomes one of this hook. After
   *   the answer, the hook is called again, and finished tasks return their results at once.
   *
   * Tasks with different keys may run at the same time, by `Promise.all`. Do not catch what this throws.
   *
   * @throws PawlError `config` for invalid options and for a key of another agent's task. `invalid_input` for
   * a blank input, and for a question of the agent in another method of the hook. `limit_reached` if agents
   * run agents more than eight levels deep, or if the cost is limited and a model of the agent has no prices.
   */
  readonly runAgent: RunAgent;
}

/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/**
 * An object whose methods are called, and awaited, before and after runs, turns, model calls and tool calls.
 *
 * **Order.** `after…` methods are called in the reverse order of the agent's `hooks`, all others in their
 * order. Each `before…` method and `duringModel` see the changes of earlier hooks. The first one that
 * ends the run, or denies, answers or asks, decides: later hooks are not called.
 *
 * **Ending the run.** `beforeRun`, `beforeTurn`, `beforeModel`, `duringModel` and `afterTurn` end the run by
 * returning `{ stop }`. All but `afterTurn` may add `hide: true`: then the model never reads the messages
 * that no answer follows yet, neither in this run nor later. In other methods and in tools, call
 * `runtime.stop(sessionId, { userId })`: the run ends as `aborted`, unless an `onStop` returns another
 * reason.
 *
 * **Continuing the run.** `afterTurn` returns `{ continue: "feedback" }` to continue a run that would end.
 *
 * **Asking the user.** `beforeRun`, `beforeTurn` and `beforeTool` return `{ ask }`. The run waits, for days
 * if necessary, and the process may end meanwhile. Then the hook is called again with the answer: in
 * `context.answer`, or for `beforeTool` in `call.answer`. For `beforeRun` and `beforeTurn`, the hooks that
 * come earlier in `hooks` are called again too. If a new message arrives instead of an answer, the question
 * is closed.
 *
 * **Errors.** If `beforeTool` throws, the call is denied. If `beforeRun`, `beforeTurn`, `beforeModel` or
 * `duringModel` throws, the run ends as `error`. If any other method throws, the run ends too if the hook
 * `guards`; otherwise it continues as if the method had returned nothing. Each error is logged as
 * `hook_failed` and reported to the runtime's `onError`, and `onError` of all hooks is called, unless
 * `onError` itself threw. An invalid return value, e.g. `maxTokens: 0`, counts as an error.
 *
 * **Crashes.** After a crash, methods may be called again for the same turn or call. `afterRun` is called
 * again only if the hook is `idempotent`.
 *
 * @example
 * ```ts
 * import { agent, type Hook, memoryStore, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const brief: Hook = {
 *   name: "brief",
 *   beforeTurn: ({ maxTokens }) => ({ maxTokens: Math.min(maxTokens, 500) }),
 *   onStop: (stop) => (stop.type === "turn_limit" ? { ...stop, message: "Let us stop here." } : undefined),
 * };
 * const model = strictModel({ script: [{ text: "Hello." }] });
 * const pawl = runtime({
 *   agents: [agent({ name: "a", model, instructions: "Be brief.", hooks: [brief] })],
 *   store: memoryStore(),
 * });
 * await pawl.run("a", { userId: "u", input: "Hi" }).result;
 * console.log(model.requests[0]?.max_tokens); // 500
 * ```
 */
export interface Hook<Deps = unknown> {
  /** The hook's name in the log. Unique among the agent's hooks. */
  readonly name: string;
  /** Names of tools that the agent must have. Without one of them, `agent()` throws. Default: none. */
  readonly tools?: readonly string[];
  /**
   * The tags in which the hook appends text for the model, e.g. `["Plan"]`. From the next run on, no message
   * of the user, no result and no other text from outside can open or close them. A tag that is not listed is
   * protected from its first use on, except in messages. At most 50 for all hooks together. Default: none.
   */
  readonly tags?: readonly string[];
  /** Whether `afterRun` is called again if the process died while it ran. Default: no. */
  readonly idempotent?: boolean;
  /** How long one call of a method may take, in milliseconds. Then it has failed. Default: no limit. */
  readonly timeoutMs?: number;
  /**
   * Whether the hook counts the cost of runs, so that every model of a run needs prices. Without them,
   * `agent()` throws `config`, and a hook that plans another model without prices fails. Default: no.
   */
  readonly needsPrices?: boolean;
  /**
   * Whether nothing may pass if the hook fails. Default: no.
   *
   * - If `beforeTool` throws, the call is denied, as for every hook. If another method throws, the run ends
   *   as `error`. If `afterModel` has failed, no answer is stored. If `afterTool` has failed, the result is
   *   withheld from the model and from pages. `afterRun` and `onError` are called too late to stop anything.
   * - No reader sees an answer before `afterModel` has returned.
   * - If the agent's `tools` is a function and does not return one of the hook's `tools`, the runtime's
   *   `onError` gets the name.
   */
  readonly guards?: boolean;
  /** Called before the run's first model call. */
  readonly beforeRun?: (context: RunContext<Deps>) => Awaitable<RunStop | { ask: Ask } | undefined>;
  /**
   * Called before each turn, when every call of the previous turn has its result. Called again for the same
   * turn after a checkpoint, which may have removed events that the hook had appended. The last return value
   * counts.
   */
  readonly beforeTurn?: (
    plan: Readonly<TurnPlan>,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | { ask: Ask } | undefined>;
  /** Called before each model call, with the request to send. */
  readonly beforeModel?: (
    call: PlannedRequest,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | undefined>;
  /**
   * Called with each part of an answer before any reader gets it, and before it is stored: once with `start`
   * when the model is asked, and with every block of text, thinking, output and tool input. May change or
   * refuse the part. Until the method has returned, nothing more of the part is shown. If it throws or
   * returns anything else, the run ends as `error`. Results of the API's own tools are not judged.
   */
  readonly duringModel?: (part: AnswerPart, context: RunContext<Deps>) => Awaitable<AnswerChange | undefined>;
  /**
   * How many characters of text and thinking `duringModel` judges at a time. It is called with the text so
   * far whenever that many new characters have arrived, and a sixty-fourth of the answer. The last `every`
   * characters are held back, so they can still be changed. If several hooks have a `duringModel`, the
   * largest `every` counts, and if one has none, all are called with complete blocks. Default: none.
   */
  readonly every?: number;
  /**
   * Called with each complete answer, before it is stored. Readers have seen its text by then, unless the
   * hook `guards`. May change or remove text blocks, except those before a thinking block. Other blocks must
   * stay unchanged. A changed text block loses its citations, because they quote the old text.
   */
  readonly afterModel?: (
    answer: ModelReply,
    context: RunContext<Deps>,
  ) => Awaitable<{ content: ContentBlockParam[] } | undefined>;
  /** Called before each tool call, if the tool exists and the input is valid. */
  readonly beforeTool?: (
    call: PlannedToolCall,
    context: RunContext<Deps>,
  ) => Awaitable<ToolChange | undefined>;
  /** Called after each tool call that ran. May change the outcome. */
  readonly afterTool?: (
    outcome: ToolOutcome,
    context: RunContext<Deps>,
  ) => Awaitable<OutcomeChange | undefined>;
  /**
   * Called after each turn, when every call has its result.
   *
   * - `stop`: ends the run. If several hooks return one, that of the hook called first counts.
   * - `continue`: continues the run with another turn, also if the answer would end it. The model reads the
   *   text as a note; the texts of several hooks are joined. An output of the turn does not count. Limits
   *   still apply, and `stop` of another hook takes precedence. Ignored after the landing turn, after a stop
   *   by the user, and if the turn ends the run otherwise, e.g. by a tool with `endsRun`.
   */
  readonly afterTurn?: (
    turn: Readonly<TurnState>,
    context: RunContext<Deps>,
  ) => Awaitable<{ stop: StopReason } | { continue: string } | undefined>;
  /**
   * Called when the run is about to wait for the user's answer. Release the resources that you hold for the
   * run, because another process may resume it.
   */
  readonly onSuspend?: (context: RunContext<Deps>) => Awaitable<void>;
  /** Called when the run is about to end. May return another stop reason. */
  readonly onStop?: (
    stop: Readonly<StopReason>,
    context: RunContext<Deps>,
  ) => Awaitable<StopReason | undefined>;
  /**
   * Called once per run, when the run is about to end for any reason. All text is stored by then. The method
   * has 5 seconds, also if the run was stopped.
   */
  readonly afterRun?: (result: RunResult, context: RunContext<Deps>) => Awaitable<void>;
  /**
   * Called for every error that the run logs, e.g. a failed model call, an invalid answer or a reached limit.
   * Not called for an `onError` that threw.
   */
  readonly onError?: (error: EventData["error"], context: HookContext) => Awaitable<void>;
}
