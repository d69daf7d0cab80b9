import type { Json } from "../base/json.ts";
import type { EventData, NewEvent, StoredEvent } from "../log/event.ts";
import type { ReadOptions } from "../log/event-store.ts";
import type { Session } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../model/model-client.ts";
import type { RunResult } from "../session/run-result.ts";
import type { QuestionRecord, RunState, TurnState } from "../session/state.ts";
import type { Schema } from "../tools/schema.ts";
import type { Tool } from "../tools/tool.ts";

/** Where a hook is called. */
export interface HookContext {
  sessionId: string;
  userId: string;
  runId: string;
  agent: string;
}

/** What a hook that takes part in a run works with. */
export interface RunContext<Deps = unknown> extends HookContext {
  /** The session as it was when this leg began. */
  readonly session: Session;
  /** The mode that a tool has set, or else the session's `metadata.type`. */
  readonly type: string | undefined;
  /** The run as folded from the log, and always up to date. */
  readonly run: Readonly<RunState>;
  readonly deps: Deps;
  /** Fires when the run is to stop. What does not return soon after that is left behind. */
  readonly signal: AbortSignal;
  /** The session's log as it may be shown; without options all of it. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /**
   * Adds to what the model reads from its next turn on, or logs an event of your own. A hook may be called
   * again after a crash: give the event a `key`, and it is stored once. Resolves to `false` if it was there
   * already.
   */
  append(event: AppendableEvent): Promise<boolean>;
}

/**
 * What hooks may store: `knowledge`, `artifact`, `note`, `spending` (what a model of the hook's own has used
 * up) and extension events.
 */
export type AppendableEvent = Exclude<
  NewEvent,
  { type: Exclude<keyof EventData, "knowledge" | "artifact" | "note" | "spending"> }
>;

/** How the next turn is made. What the model reads is not a part of it: add to that with `append`. */
export interface TurnPlan {
  /** Who answers; see also {@link answering}. */
  model: ModelClient;
  maxTokens: number;
  toolChoice?: ToolChoice;
  /**
   * The names of the tools that may run in this turn; all when absent. The model is shown all of them
   * nevertheless.
   */
  tools?: readonly string[];
}

/** A change of plan, or the end of the run instead. */
export type TurnChange = Partial<TurnPlan> | { stop: StopReason };

/** A model call that is about to be made. */
export interface PlannedRequest {
  readonly request: ModelRequest;
  readonly estimatedTokens: number;
  readonly plan: Readonly<TurnPlan>;
}

/** An answer of the model that has come in whole and is not yet stored. */
export interface ModelReply {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
}

/** A call that is about to be run. Its input fits the tool's schema. */
export interface PlannedToolCall {
  readonly callId: string;
  readonly tool: Tool;
  /** As the tool will get it: parsed, and as earlier hooks have changed it. */
  readonly input: unknown;
  /** As the model made it. */
  readonly arguments: Json;
  /** The answer to this hook's question about this call. It fits the question's schema. */
  readonly answer?: Json;
}

/**
 * What a hook makes of a call. `input`: other input, which has to fit the schema. `deny`: an error result
 * that tells the model why. `result`: the answer, without the tool; with `skipped` it counts neither as a
 * success nor as a failure, and the word says why. `ask`: the call waits for an answer, and then the hook is
 * called again with it.
 */
export type ToolChange =
  | { input: Json }
  | { deny: string }
  | { result: Json; skipped?: string }
  | { ask: Pick<QuestionRecord, "kind" | "payload"> & { answer: Schema } };

/** What a tool has come back with; nothing of it is stored yet. */
export interface ToolOutcome {
  readonly callId: string;
  readonly tool: Tool;
  readonly input: unknown;
  readonly success: boolean;
  readonly result: Json;
  /** What the model will read, where that is not `result` as text. */
  readonly content?: string | ContentBlock[];
}

/** What is stored instead. */
export type OutcomeChange = Partial<Pick<ToolOutcome, "success" | "result" | "content">>;

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Something that takes part in a run. Hooks are awaited. `before…` is called in the order of the agent's
 * list, and each hook sees what those before it have changed; the first that ends the run, denies, answers or
 * asks has the last word. `after…` is called in the opposite order; `onSuspend`, `onStop` and `onError` in
 * the order of the list.
 *
 * A `before…` that throws stops what it stands before: the call is denied, or the run ends as `error`. Any
 * other that throws changes nothing. Both are logged as `hook_failed` and told to `onError`. So is what makes
 * no sense, e.g. 0 tokens.
 *
 * `beforeRun`, `beforeTurn`, `beforeModel` and `afterTurn` may end the run: they return `{ stop }`. No other
 * method can; `onStop` only changes the reason. From within a turn, e.g. in `beforeTool` or a tool, call
 * `runtime.stop(sessionId, { userId })`: the run ends as `aborted`, and `onStop` may give another reason.
 *
 * After a crash a hook may be called again for the same turn or call, except `afterRun`.
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
  /** Unique among the agent's hooks; the log names hooks by it. */
  readonly name: string;
  /** The tools that it is about, where it names some: an agent that lacks one of them is refused. */
  readonly tools?: readonly string[];
  /** `afterRun` is called again if the process died in it; otherwise it never is. */
  readonly idempotent?: boolean;
  /** Before the run's first model call. */
  readonly beforeRun?: (context: RunContext<Deps>) => Awaitable<{ stop: StopReason } | undefined>;
  /** Before each turn, when every call of the last one has its result. */
  readonly beforeTurn?: (
    plan: Readonly<TurnPlan>,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | undefined>;
  /** Before each model call, with the request as it would be sent. */
  readonly beforeModel?: (
    call: PlannedRequest,
    context: RunContext<Deps>,
  ) => Awaitable<TurnChange | undefined>;
  /**
   * May change or leave out texts that no thinking block follows; all else has to stay as it is. Of a text
   * that has changed only its words count: citations belong to the words that were there.
   */
  readonly afterModel?: (
    answer: ModelReply,
    context: RunContext<Deps>,
  ) => Awaitable<{ content: ContentBlock[] } | undefined>;
  /** Before each call of a tool that exists and whose input fits. */
  readonly beforeTool?: (
    call: PlannedToolCall,
    context: RunContext<Deps>,
  ) => Awaitable<ToolChange | undefined>;
  /** After each call that was run. */
  readonly afterTool?: (
    outcome: ToolOutcome,
    context: RunContext<Deps>,
  ) => Awaitable<OutcomeChange | undefined>;
  /** After each turn, when every call has its result. All are told; the first reason to stop counts. */
  readonly afterTurn?: (
    turn: Readonly<TurnState>,
    context: RunContext<Deps>,
  ) => Awaitable<{ stop: StopReason } | undefined>;
  /**
   * When the run is about to wait for its user and nobody is to hold anything for it. After that it may go on
   * anywhere.
   */
  readonly onSuspend?: (context: RunContext<Deps>) => Awaitable<void>;
  /** When the run is about to end; may change the reason. */
  readonly onStop?: (
    stop: Readonly<StopReason>,
    context: RunContext<Deps>,
  ) => Awaitable<StopReason | undefined>;
  /**
   * When the run has come to its end and all text is stored, whatever the way; once for each run. It has 5 s,
   * also where the run was stopped.
   */
  readonly afterRun?: (result: RunResult, context: RunContext<Deps>) => Awaitable<void>;
  /**
   * Told of every error that the run logs: failed model calls, breaches of the model's contract, reached
   * limits.
   */
  readonly onError?: (error: EventData["error"], context: HookContext) => Awaitable<void>;
}
