import type { Json } from "../base/json.ts";
import type { EventData, NewEvent, SkipReason, StoredEvent } from "../log/event.ts";
import type { ReadOptions } from "../log/event-store.ts";
import type { Session } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../model/model-client.ts";
import type { RunResult } from "../session/run-result.ts";
import type { QuestionRecord, RunState, TurnState } from "../session/state.ts";
import type { Schema } from "../tools/schema.ts";
import type { Tool } from "../tools/tool.ts";

/** The session and run in which a hook is called. */
export interface HookContext {
  sessionId: string;
  userId: string;
  runId: string;
  /** The agent's name. */
  agent: string;
}

/** What a hook gets that takes part in a run. */
export interface RunContext<Deps = unknown> extends HookContext {
  /** The session as it was when this leg began. */
  readonly session: Session;
  /** The session's mode if a tool has set one, or else its `metadata.type`. */
  readonly type: string | undefined;
  /** The run, folded from the log and always up to date. */
  readonly run: Readonly<RunState>;
  /** What the runtime's `deps` returned for this session. */
  readonly deps: Deps;
  /** Aborts when the run is stopped. Work that does not return soon after that is abandoned. */
  readonly signal: AbortSignal;
  /** Reads the session's log, without what was redacted. Without options, all of it. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Adds to what the model reads from its next turn on, or logs an event of your own. A hook may be called
   * again after a crash: give the event a `key` to have it stored once. Resolves to `false` if that key was
   * already stored.
   */
  append(event: AppendableEvent): Promise<boolean>;
}

/**
 * The events that hooks may store: `knowledge`, `artifact`, `note`, `spending` (what a model that the hook
 * calls itself has used) and extension events.
 */
export type AppendableEvent = Exclude<
  NewEvent,
  { type: Exclude<keyof EventData, "knowledge" | "artifact" | "note" | "spending"> }
>;

/** Settings of the next turn. They do not include what the model reads: add to that with `append`. */
export interface TurnPlan {
  /** The model of this turn. See also `answering()`. */
  model: ModelClient;
  /** The most tokens of the answer. */
  maxTokens: number;
  /** Which tools the model must or may call. Default: the model chooses. */
  toolChoice?: ToolChoice;
  /**
   * The names of the tools that may run in this turn. The model sees all tools nevertheless. Default: all.
   */
  tools?: readonly string[];
}

/** Changes to the turn's settings, or the end of the run. */
export type TurnChange = Partial<TurnPlan> | { stop: StopReason };

/** A model call that is about to be made. */
export interface PlannedRequest {
  /** The request as it would be sent. */
  readonly request: ModelRequest;
  /** The estimated tokens of its prompt. */
  readonly estimatedTokens: number;
  /** The settings of its turn. */
  readonly plan: Readonly<TurnPlan>;
}

/** A complete answer of the model that is not stored yet. */
export interface ModelReply {
  readonly content: readonly ContentBlock[];
  /** The model's own stop reason. */
  readonly stopReason: string | null;
}

/** A call that is about to run. Its input matches the tool's schema. */
export interface PlannedToolCall {
  readonly callId: string;
  readonly tool: Tool;
  /** The input as the tool will get it: parsed, and with the changes of earlier hooks. */
  readonly input: unknown;
  /** The input as the model wrote it. */
  readonly arguments: Json;
  /** The answer to this hook's question about this call. It matches the question's schema. */
  readonly answer?: Json;
}

/**
 * What a hook decides about a call.
 *
 * - `input`: runs the call with this input, which must match the schema.
 * - `deny`: answers the call with an error that tells the model why.
 * - `result`: answers the call without running the tool. With `skipped`, a word that says why, the call
 *   counts as neither a success nor a failure.
 * - `ask`: makes the call wait for an answer. The hook is then called again with it.
 */
export type ToolChange =
  | { input: Json }
  | { deny: string }
  | { result: Json; skipped?: SkipReason }
  | { ask: Pick<QuestionRecord, "kind" | "payload"> & { answer: Schema } };

/** The outcome of a call that ran. Nothing of it is stored yet. */
export interface ToolOutcome {
  readonly callId: string;
  readonly tool: Tool;
  /** The input that the tool got: parsed, and with the changes of hooks. */
  readonly input: unknown;
  /** Whether the tool succeeded. */
  readonly success: boolean;
  /** What the tool returned, or the message of its error. */
  readonly result: Json;
  /** What the model reads, if that is not `result` as text. */
  readonly content?: string | ContentBlock[];
}

/** Changes to an outcome before it is stored. */
export type OutcomeChange = Partial<Pick<ToolOutcome, "success" | "result" | "content">>;

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Takes part in runs: its methods are called before and after runs, turns, model calls and tool calls. Hooks
 * are awaited.
 *
 * `before…` methods are called in the order of the agent's list. Each hook sees the changes of those before
 * it; the first that ends the run, or denies, answers or asks, decides. `after…` methods are called in the
 * opposite order; `onSuspend`, `onStop` and `onError` in the order of the list.
 *
 * `beforeRun`, `beforeTurn`, `beforeModel` and `afterTurn` may end the run: they return `{ stop }`. No other
 * method can; `onStop` only changes the reason. From within a turn, e.g. in `beforeTool` or a tool, call
 * `runtime.stop(sessionId, { userId })`: the run ends as `aborted`, and `onStop` may give another reason.
 *
 * If a `before…` method throws, the call is denied, or the run ends as `error`. If another method throws,
 * nothing changes. Both are logged as `hook_failed` and reported to `onError`. An invalid result, e.g. 0
 * tokens, counts as thrown.
 *
 * After a crash, a hook may be called again for the same turn or call. `afterRun` is not, unless the hook is
 * `idempotent`.
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
  /** Unique among the agent's hooks. The log names the hook by it. */
  readonly name: string;
  /** Names of tools that the hook needs. `agent()` refuses an agent that lacks one of them. Default: none. */
  readonly tools?: readonly string[];
  /** Whether `afterRun` is called again if the process died in it. Default: no. */
  readonly idempotent?: boolean;
  /** Called before the run's first model call. */
  readonly beforeRun?: (context: RunContext<Deps>) => Awaitable<{ stop: StopReason } | undefined>;
  /** Called before each turn, when every call of the last turn has its result. */
  readonly beforeTurn?: (
    plan: Readonly<TurnPlan>,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | undefined>;
  /** Called before each model call, with the request as it would be sent. */
  readonly beforeModel?: (
    call: PlannedRequest,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | undefined>;
  /**
   * Called with each complete answer, before it is stored. May change or remove text blocks that no thinking
   * block follows; everything else must stay as it is. A text block that is changed keeps only its text,
   * because citations refer to the old words.
   */
  readonly afterModel?: (
    answer: ModelReply,
    context: RunContext<Deps>,
  ) => Awaitable<{ content: ContentBlock[] } | undefined>;
  /** Called before each call of an existing tool with valid input. */
  readonly beforeTool?: (
    call: PlannedToolCall,
    context: RunContext<Deps>,
  ) => Awaitable<ToolChange | undefined>;
  /** Called after each call that ran. */
  readonly afterTool?: (
    outcome: ToolOutcome,
    context: RunContext<Deps>,
  ) => Awaitable<OutcomeChange | undefined>;
  /**
   * Called after each turn, when every call has its result. Every hook is called; the first reason to stop
   * counts.
   */
  readonly afterTurn?: (
    turn: Readonly<TurnState>,
    context: RunContext<Deps>,
  ) => Awaitable<{ stop: StopReason } | undefined>;
  /**
   * Called when the run is about to wait for its user. Release here what you hold for the run: it may resume
   * in another process.
   */
  readonly onSuspend?: (context: RunContext<Deps>) => Awaitable<void>;
  /** Called when the run is about to end. May change the stop reason. */
  readonly onStop?: (
    stop: Readonly<StopReason>,
    context: RunContext<Deps>,
  ) => Awaitable<StopReason | undefined>;
  /**
   * Called once for each run when it ends for whatever reason, after all text is stored. It may take 5
   * seconds, even if the run was stopped.
   */
  readonly afterRun?: (result: RunResult, context: RunContext<Deps>) => Awaitable<void>;
  /**
   * Called for every error that the run logs: failed model calls, invalid answers of the model, reached
   * limits.
   */
  readonly onError?: (error: EventData["error"], context: HookContext) => Awaitable<void>;
}
