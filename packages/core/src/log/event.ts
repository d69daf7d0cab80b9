import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlock, TextBlock, ToolSpec } from "../model/content.ts";
import type { ToolChoice } from "../model/model-client.ts";
import type { NextRun } from "./next-run.ts";
import type { SessionStatus } from "./session-row.ts";
import type { StopReason } from "./stop-reason.ts";
import type { StoredAnswerLimit, StoredBudget } from "./stored-budget.ts";

/**
 * The payloads of stored events, by type. They are the schema of the log: fields are added, never renamed or
 * removed. Costs are in US cents, see `usdFromCents()` and `centsFromUsd()`. Extensions use a namespaced type
 * such as `planning.plan`, see {@link ExtensionType}.
 */
export interface EventData {
  // ── Context: what the model reads ──────────────────────────────────────────────────────────────
  /**
   * `queued`: it arrived during a run and waits for that run's next turn, or for the next run. `params` is
   * for hooks and tools, see `RunOptions.params`.
   */
  user_message: { message: string; queued?: boolean; params?: JsonObject };
  /**
   * The model's raw blocks. `disposition` says what is sent again: `kept` everything, unchanged; `partial`
   * the usable part of an answer that was cut off; `discarded` nothing. `attempt` is the `seq` of the
   * `llm_request` that it answers.
   */
  assistant_message: {
    content: ContentBlock[];
    disposition: "kept" | "partial" | "discarded";
    stop_reason: string | null;
    attempt: number;
    /** How many blocks were received completely. */
    complete: number;
  };
  /**
   * The result of a tool call.
   *
   * - `result` is what the tool returned, and `content` what the model reads, if that is not `result` as
   *   text.
   * - `resend` names fields of the call's input that are not sent again, each with the word for what was done
   *   with it.
   * - `ends_run`, `session_status` and `mode` are what the tool decided about the run and the session.
   * - `skipped` says why the call was answered without being run ({@link SkipReason}).
   * - `spent` is what a sub-agent that did the work has used since it last asked.
   */
  tool_result: {
    call_id: string;
    tool_name: string;
    success: boolean;
    result: Json;
    content?: string | ContentBlock[];
    resend?: { readonly [field: string]: string };
    ends_run?: boolean;
    session_status?: SessionStatus;
    mode?: string | null;
    skipped?: SkipReason;
    spent?: { tokens: TokenUsage; cost_cents: number };
    status?: string;
  };
  /** Data for the model, with the `source` it came from. `params` is what the source was asked for. */
  knowledge: { source: string; data: string; params?: JsonObject };
  /**
   * Something that a tool made for the user. The model reads its id, type, title and summary, never its
   * `payload`.
   */
  artifact: {
    artifact_id: string;
    type: string;
    schema_version: string;
    title: string;
    summary: JsonObject;
    auto_start: boolean;
    payload: JsonObject;
  };
  /**
   * Something the model should know from now on. `landing`: the next turn is the run's last, for this reason.
   * `reminder`: the model answered without a tool call and is asked again.
   */
  note: { text: string; landing?: StopReason; reminder?: true };

  // ── Control ────────────────────────────────────────────────────────────────────────────────────
  /** System prompt and tools as they are sent. Requests use these, not the agent's current ones. */
  prefix: { prefix_id: string; system: TextBlock[]; tools: ToolSpec[] };
  /**
   * From here on, the context before the event `from_seq` is sent in another form: `drop_old_results`
   * replaces tool results by notes of their length, `summary` replaces everything by `summary`, and `start`
   * omits it. Events up to `upto_seq` have been admitted to the context. The new `prefix` follows in the same
   * append.
   */
  checkpoint: {
    from_seq: number;
    upto_seq: number;
    reason: "drop_old_results" | "summary" | "start";
    summary?: string;
  };
  /**
   * The content of the event `seq` is no longer sent or shown. `of` is its type; `call_id` or `attempt` say
   * where a reader has shown it. A `prefix` follows in the same append.
   */
  redaction: { seq: number; of: string; call_id?: string; attempt?: number };
  /** `retry_of`: id of the run that this one retries, which failed or was stopped. A retry has no message. */
  run_started: { run_id: string; agent: string; agent_version: string; retry_of?: string };
  /** The run waits for answers; `pending` are the ids of the calls that wait. */
  run_suspended: { run_id: string; pending: string[] };
  /** A new leg has picked up a run whose process died. */
  run_recovered: { run_id: string };
  /** A run has ended. `turns`, `tokens` and `cost_cents` are totals of the run. */
  run_ended: {
    run_id: string;
    stop: StopReason;
    session_status: SessionStatus;
    turns: number;
    tokens: TokenUsage;
    cost_cents: number;
    next?: NextRun;
  };
  /** `interrupt`: the user sent another message instead of pressing stop. */
  stop_requested: { run_id: string; interrupt?: boolean };
  /**
   * An effect at a run's end has started or ended. After the first `effect_started` the run can only end,
   * with this reason.
   */
  effect_started: { run_id: string; name: string; stop: StopReason };
  effect_ended: { run_id: string; name: string; success: boolean };

  // ── Tools ──────────────────────────────────────────────────────────────────────────────────────
  /**
   * A call as the model made it. `invalid` says why it cannot be run: its arguments could not be read, or it
   * is one call too many. In the latter case `skipped` is set too, as in the result.
   */
  tool_call: { tool_name: string; arguments: Json; call_id: string; invalid?: string; skipped?: SkipReason };
  /** `input`: changed by a hook. `slice`: limits of the sub-agent that works in `<session>:<callId>`. */
  tool_started: {
    tool_name: string;
    call_id: string;
    idempotency_key: string;
    status?: string;
    input?: Json;
    slice?: StoredBudget;
  };
  /**
   * A call that waits for an answer.
   *
   * - `expires_at` is ISO 8601.
   * - `by` names the hook that asks; absent if the tool asks.
   * - `input` is the call's input, if a hook had changed it before.
   * - `child` is the call that asks in a sub-agent's session, and `spent` what that agent has used since it
   *   last asked.
   */
  tool_suspended: {
    tool_name: string;
    call_id: string;
    kind: string;
    payload: Json;
    answer_schema: JsonObject;
    expires_at?: string;
    by?: string;
    input?: Json;
    child?: { session_id: string; call_id: string; question: number };
    spent?: EventData["tool_result"]["spent"];
  };
  /**
   * `closed` instead of `value`: the question expired or was cancelled, e.g. by a new message. `error`
   * instead of `value`: why the client's tool failed; the call's result repeats it.
   */
  tool_answered: { tool_name: string; call_id: string; value: Json; error?: string; closed?: string };

  // ── Observability ──────────────────────────────────────────────────────────────────────────────
  /**
   * A request to the model. The prompt is not stored but can be rebuilt byte for byte: it is the prefix and
   * all context admitted up to `upto_seq`.
   *
   * - `hash` is the SHA-256 of the blocks without cache markers.
   * - `params.tools` names the tools that may run in this turn; absent if all tools of the prefix may.
   * - `limited_by` names the limit that leaves no more than `max_tokens` for the answer.
   * - `turn` counts from 1 within the run.
   * - `retry_of`: the attempt with that `seq` failed, and the same prompt is sent again within the same turn.
   * - `again` is the `seq` of an earlier request for this turn that has no answer, e.g. because its process
   *   died. This request may cover more.
   */
  llm_request: {
    model: string;
    prompt: { prefix_id: string; upto_seq: number; hash: string };
    params: { max_tokens: number; tool_choice?: ToolChoice; tools?: string[] };
    estimated_tokens: number;
    /** Estimated cost of the prompt, charged by a `spending` if the answer is lost. Absent without prices. */
    estimated_cost_cents?: number;
    limited_by?: StoredAnswerLimit;
    turn: number;
    retry_of?: number;
    again?: number;
  };
  /** `attempt` is the `seq` of its `llm_request`, or 0 for a summary. */
  llm_response: {
    raw_response: {
      id: string | null;
      model: string | null;
      stop_reason: string | null;
      stop_sequence: string | null;
      usage: JsonObject;
    };
    tokens: TokenUsage;
    cost_cents: number;
    attempt: number;
    request_id?: string;
  };
  /**
   * Use by something other than the agent's own model, e.g. a model that a hook asks. It counts towards the
   * run's limits and the session's totals. `by` is its name, `model` the model's. With `by: "lost_answer"` it
   * is the estimate for a request whose answer was lost, and `attempt` is the `seq` of that `llm_request`.
   */
  spending: { by: string; model: string; tokens: TokenUsage; cost_cents: number; attempt?: number };
  /**
   * An error during a run, as reported to the `onError` hooks. `message` is for developers, and `stack` is
   * always `null`.
   *
   * `context` of a run that ended by a limit: its `turns`, and as far as they are known the `resource`, its
   * `limit` and what was `spent`, `of` the request or of the conversation. Money is `costCents`.
   */
  error: { code: string; message: string; stack: null; context: Json };
}

/**
 * Why a call was answered without being run, and counts as neither a success nor a failure.
 *
 * - `duplicate`: the call has already succeeded with the same arguments in this run.
 * - `waiting`: a tool that it depends on is called in the same turn; the model calls it again in the next.
 * - `surplus`: one tool is called at a time, and another call of the turn came first.
 * - `closed`: its question was closed without an answer, e.g. by a new message.
 *
 * Hooks may use words of their own.
 */
export type SkipReason = "duplicate" | "waiting" | "surplus" | "closed" | (string & {});

/**
 * Token counts as the log stores them. `prompt` excludes cached tokens, `completion` includes thinking,
 * `cache_write_1h` is a part of `cache_write`, and `total` is the sum of the other four fields.
 */
export interface TokenUsage {
  prompt: number;
  completion: number;
  cached: number;
  cache_write: number;
  cache_write_1h: number;
  total: number;
}

/** An event type of core. */
export type EventType = keyof EventData;

/**
 * The type of an extension's event: it contains a dot. Core stores and delivers such events without
 * interpreting them.
 */
export type ExtensionType = `${string}.${string}`;

/** Optional fields of an event, beside its type and payload. */
export interface EventEnvelope {
  /**
   * A name that is unique in its session: a second append with it is refused. It marks what may happen only
   * once: `result:<assistantSeq>:<callId>`, `answer:<assistantSeq>:<callId>`, `message:<clientMessageId>`,
   * `end:<runId>`, `effect:<runId>:<name>`, `retry:<runId>`.
   */
  key?: string;
  /** How long the reported operation took, in milliseconds. */
  durationMs?: number;
}

/** An event to append. */
export type NewEvent =
  | { [T in EventType]: { type: T; data: EventData[T] } & EventEnvelope }[EventType]
  | ({ type: ExtensionType; data: Json } & EventEnvelope);

/** What the store adds to an event. */
export interface StoredEnvelope {
  sessionId: string;
  /** The event's number within the session: 1, 2, 3 … without gaps. */
  seq: number;
  /** Version of the payload's shape. */
  v: number;
  /** When it was stored, by the store's clock: ISO 8601, UTC. */
  at: string;
}

/** An event of the log. Narrow it by `type`. */
export type StoredEvent = NewEvent & StoredEnvelope;

/** A stored event of one type. */
export type StoredOf<T extends EventType> = Extract<StoredEvent, { type: T }>;

/** The current version of every payload. */
export const EVENT_VERSION = 1;
