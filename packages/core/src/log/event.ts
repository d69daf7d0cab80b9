import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlock, TextBlock, ToolSpec } from "../model/content.ts";
import type { ToolChoice } from "../model/model-client.ts";
import type { SessionStatus } from "./session-row.ts";
import type { StopReason } from "./stop-reason.ts";
import type { StoredAnswerLimit, StoredBudget } from "./stored-budget.ts";

/**
 * The payloads of the events that are stored, by type. They are the schema of the log: fields are added,
 * never renamed or taken away. Costs are in US cents, see `usdFromCents()` and `centsFromUsd()`. Extensions
 * use a namespaced type such as `planning.plan`, see {@link ExtensionType}.
 */
export interface EventData {
  // ── Context: what the model reads ──────────────────────────────────────────────────────────────
  /**
   * `queued`: it came while a run was at work, and waits for that run's next turn or for the run that
   * follows. `params` is what came with it for hooks and tools, see `RunOptions.params`.
   */
  user_message: { message: string; queued?: boolean; params?: JsonObject };
  /**
   * The model's raw blocks. `kept`: whole, echoed untouched. `partial`: cut off; the part that can be sent
   * again is. `discarded`: never sent again. `attempt` is the `seq` of the `llm_request` that it answers.
   */
  assistant_message: {
    content: ContentBlock[];
    disposition: "kept" | "partial" | "discarded";
    stop_reason: string | null;
    attempt: number;
    /** How many blocks had come in whole. */
    complete: number;
  };
  /**
   * `result` is what the tool returned. `content` is what the model reads, where that is not simply `result`
   * as text. `resend` names fields of the call's input that are not sent again, with the word for what was
   * done with them. `ends_run`, `session_status` and `mode` carry what the tool decided about run and
   * session. `skipped`: the call was answered without having been run and without having failed, e.g. as a
   * duplicate. `spent` is what an agent has used up that did the work, since it last asked.
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
    skipped?: string;
    spent?: { tokens: TokenUsage; cost_cents: number };
    status?: string;
  };
  knowledge: { source: string; data: string; params?: JsonObject };
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
   * Something the model should know from now on. With `landing` the next turn is the run's last, for this
   * reason. With `reminder` the model has answered without a tool call, and is asked again.
   */
  note: { text: string; landing?: StopReason; reminder?: true };

  // ── Control ────────────────────────────────────────────────────────────────────────────────────
  /** System and tools as they are sent. Requests read them from here, never from the agent. */
  prefix: { prefix_id: string; system: TextBlock[]; tools: ToolSpec[] };
  /**
   * From here on the context before the event `from_seq` is sent in another form: `drop_old_results` replaces
   * tool results by notes of their length, `summary` everything by `summary`, `start` by nothing. What had
   * come up to `upto_seq` is in the context. The `prefix` that this begins follows in the same append.
   */
  checkpoint: {
    from_seq: number;
    upto_seq: number;
    reason: "drop_old_results" | "summary" | "start";
    summary?: string;
  };
  /**
   * What the event `seq` says is not sent or shown any more. `of` is its type; `call_id` or `attempt` say
   * where a reader has shown it. A `prefix` follows in the same append.
   */
  redaction: { seq: number; of: string; call_id?: string; attempt?: number };
  /** `retry_of`: id of the failed run that this one retries; it has no message of its own. */
  run_started: { run_id: string; agent: string; agent_version: string; retry_of?: string };
  run_suspended: { run_id: string; pending: string[] };
  run_recovered: { run_id: string };
  run_ended: {
    run_id: string;
    stop: StopReason;
    session_status: SessionStatus;
    turns: number;
    tokens: TokenUsage;
    cost_cents: number;
    next?: NextRun;
  };
  /** `interrupt`: the user has not pressed stop but written something else. */
  stop_requested: { run_id: string; interrupt?: boolean };
  /**
   * What belongs to a run's end has begun, or is over; from the first one on the run only ends, with this
   * reason.
   */
  effect_started: { run_id: string; name: string; stop: StopReason };
  effect_ended: { run_id: string; name: string; success: boolean };

  // ── Tools ──────────────────────────────────────────────────────────────────────────────────────
  /**
   * A call as the model made it. `invalid` says why it cannot be run: its arguments could not be read, or it
   * is one call too many; then `skipped` says so too, as it does of the result.
   */
  tool_call: { tool_name: string; arguments: Json; call_id: string; invalid?: string; skipped?: string };
  /**
   * `input` is what the tool is given, where a hook has changed that. `slice`: an agent does the work, within
   * these limits, in the session `<session>:<callId>`.
   */
  tool_started: {
    tool_name: string;
    call_id: string;
    idempotency_key: string;
    status?: string;
    input?: Json;
    slice?: StoredBudget;
  };
  /**
   * A call that waits for an answer. `expires_at` is ISO 8601. `by` names the hook that asks, where it is not
   * the tool; `input` is the call's input where a hook had changed it by then. `child` is the call that asks
   * in the session of an agent that does the work, and `spent` what that agent has used up since it last
   * asked.
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
   * `closed` instead of `value`: the question was overtaken, e.g. by a new message, or expired. `error`
   * instead of `value`: why the client's tool failed; the call's result repeats it.
   */
  tool_answered: { tool_name: string; call_id: string; value: Json; error?: string; closed?: string };

  // ── Observability ──────────────────────────────────────────────────────────────────────────────
  /**
   * The prompt is not stored but can be rebuilt byte for byte: it is the prefix and all context admitted up
   * to `upto_seq`. `hash` is SHA-256 over the blocks without cache markers. `turn` counts from 1 within the
   * run. With `retry_of`, the attempt with that `seq` has failed and the same prompt is sent again, within
   * the same turn. `again` is the `seq` of the request for this turn that was made before and has no answer,
   * e.g. because its process died; this one may cover more. `params.tools` names the tools that may run in
   * this turn, where that is not all of the prefix. `limited_by` names the limit that leaves no more than
   * `max_tokens` for the answer.
   */
  llm_request: {
    model: string;
    prompt: { prefix_id: string; upto_seq: number; hash: string };
    params: { max_tokens: number; tool_choice?: ToolChoice; tools?: string[] };
    estimated_tokens: number;
    /**
     * Cost of the prompt by that estimate. A `spending` charges it if the answer is lost. Absent if the model
     * has no prices.
     */
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
   * What something beside the agent's own model has used up for a run, e.g. a model that a hook asks: it
   * counts towards the run's limits and the session's totals. `by` is its name, `model` the model's. With
   * `attempt` (and `by` `lost_answer`) it is the estimate of a request whose answer was lost; `attempt` is
   * the `seq` of its `llm_request`.
   */
  spending: { by: string; model: string; tokens: TokenUsage; cost_cents: number; attempt?: number };
  /**
   * `context` of a run that ended by a limit: its `turns`, and as far as they are known the `resource`, its
   * `limit` and what was `spent`, `of` the request or of the conversation. Money is `costCents`.
   */
  error: { code: string; message: string; stack: null; context: Json };
}

/**
 * Token counts as the log stores them. `prompt` excludes cached tokens, `total` is the sum of the other four
 * fields (`cache_write_1h` is a part of `cache_write`).
 */
export interface TokenUsage {
  prompt: number;
  completion: number;
  cached: number;
  cache_write: number;
  cache_write_1h: number;
  total: number;
}

/**
 * The run that begins in the append that ends another one, for messages (by their `seq`) that no request had
 * covered.
 */
export interface NextRun {
  run_id: string;
  messages: number[];
}

/** A type that core knows. */
export type EventType = keyof EventData;

/**
 * A type of somebody else's: it contains a dot. Core stores and delivers such events and reads nothing into
 * them.
 */
export type ExtensionType = `${string}.${string}`;

/** What an event may have beside its type and its payload. */
export interface EventEnvelope {
  /**
   * At most one event of a session has this key; a second append of it is refused. Used for what may happen
   * only once: `result:<assistantSeq>:<callId>`, `answer:<assistantSeq>:<callId>`,
   * `message:<clientMessageId>`, `end:<runId>`, `effect:<runId>:<name>`, `retry:<runId>`.
   */
  key?: string;
  /** How long the thing took that this event reports, in milliseconds. */
  durationMs?: number;
}

/** An event to be appended. */
export type NewEvent =
  | { [T in EventType]: { type: T; data: EventData[T] } & EventEnvelope }[EventType]
  | ({ type: ExtensionType; data: Json } & EventEnvelope);

/** What the store adds to an event. */
export interface StoredEnvelope {
  sessionId: string;
  /** 1, 2, 3 … within the session, without gaps. */
  seq: number;
  /** Version of the payload's shape. */
  v: number;
  /** When it was stored, by the store's clock, ISO 8601 in UTC. */
  at: string;
}

/** An event of the log. Narrow it by `type`. */
export type StoredEvent = NewEvent & StoredEnvelope;

/** A stored event of one type. */
export type StoredOf<T extends EventType> = Extract<StoredEvent, { type: T }>;

/** The current version of every payload. */
export const EVENT_VERSION = 1;
