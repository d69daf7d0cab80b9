import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlock, TextBlock, ToolSpec } from "../model/content.ts";
import type { Consent, ConsentPart } from "./consent.ts";
import type {
  CalledBy,
  ChargedUse,
  Checkpoint,
  Closed,
  FileReference,
  InputFor,
  NextRun,
  OfCall,
  QuestionPlace,
  SentParams,
  ShortenInput,
  SkipReason,
  StoredNote,
  TaskStart,
} from "./event-parts.ts";
import type { SessionStatus } from "./session-row.ts";
import type { StopReason } from "./stop-reason.ts";
import type { StoredAnswerLimit, StoredBudget } from "./stored-budget.ts";
import type { StoredReport } from "./stored-report.ts";
import type { Spent, TokenUsage } from "./tokens.ts";

/**
 * The payloads of stored events, by type: the schema of the log. Fields are added, never renamed or removed.
 * Costs are in US cents; `usdFromCents()` converts them. Extensions have types with a dot, e.g.
 * `planning.plan`, see {@link ExtensionType}.
 */
export interface EventData {
  // ── Context: what the model reads ──────────────────────────────────────────────────────────────
  /**
   * The user sent a message. `queued`: the message arrived during a run and is answered by that run or the
   * next one. `params` are for hooks and tools, see `RunOptions.params`. A queued message also has `caller`
   * and `credentials`, for the run that it may start. `files` came with the message, in order: `id` is the
   * SHA-256 of a file's bytes, which are in the runtime's `files`. A queued message also has `client_tools`,
   * the tools that its client offers, see `RunOptions.clientTools`.
   */
  user_message: {
    message: string;
    queued?: boolean;
    params?: JsonObject;
    files?: FileReference[];
    client_tools?: ToolSpec[];
  } & CalledBy;
  /**
   * The model's answer is complete, or was cut off. `content` is what was received.
   *
   * - `disposition` says which part of the answer later requests contain: all blocks (`kept`), the usable
   *   part of an answer that was cut off (`partial`), or nothing (`discarded`).
   * - `attempt` is the `seq` of the `llm_request` that was answered.
   * - `output` says where the content has the run's output, or an attempt at it: in its `text`, or in a
   *   `call` of the tool `final_answer`. Views do not show that part as text or as a call.
   */
  assistant_message: {
    content: ContentBlock[];
    disposition: "kept" | "partial" | "discarded";
    stop_reason: string | null;
    attempt: number;
    /** How many blocks were received completely. */
    complete: number;
    output?: "text" | "call";
  };
  /**
   * A call is over: its tool returned or failed, its question was answered, or it was not run at all.
   *
   * - `result` is the tool's return value, cut at the agent's `storedResultLimit`. `content` is what the
   * model reads. Without it, the model reads `result` as text. A picture or PDF in it whose bytes are in the
   * runtime's
   *   `files` has a source of the type `stored`.
   * - `resend` names input fields of the call that are replaced by a note of their length before they are
   *   sent to the model. The value of each is the note's first word, e.g. `saved`.
   * - `ends_run`: the tool ends the run. `session_status` and `mode`: the tool sets the session's status and
   *   mode.
   * - `hand_over_to` is the agent that has the conversation once the run has ended.
   * - `skipped` is why the call was answered without being run, see {@link SkipReason}. Such a call does not
   *   count as failed.
   * - `spent` is what the call's sub-agent has used since its last question, or the cost that the tool has
   *   reported. It counts towards the run's limits and the session's totals.
   * - `status` is the status text that the tool defines.
   * - `report` is what the tool has reported with `context.report()`. `code` is the code of the error that it
   *   threw, e.g. `ECONNREFUSED`, or the type of the stop reason of a sub-agent that did not finish. The call
   *   of a sub-agent has the fragments and sources of all calls of its task, and their connector if there is
   *   only one.
   * - `files` are the files in `result`, which has `file:<id>` in their place. Views show them.
   */
  tool_result: OfCall & {
    success: boolean;
    result: Json;
    content?: string | ContentBlock[];
    resend?: ShortenInput;
    ends_run?: boolean;
    session_status?: SessionStatus;
    mode?: string | null;
    hand_over_to?: string;
    skipped?: SkipReason;
    spent?: Spent;
    status?: string;
    report?: StoredReport;
    files?: FileReference[];
  };
  /**
   * Data was added for the model to read: with a message, by a hook, or as user data when a run starts.
   * `source` names the data source, and `params` are its parameters. `tag` is the tag in which the model
   * reads the data, e.g. `Clarifications`. Default: `knowledge`.
   */
  knowledge: { source: string; data: string; params?: JsonObject; tag?: string };
  /**
   * A tool or a hook made something for the user. A tool's artifact is stored with its `tool_result`. The
   * model reads its id, type, title and summary, never its `payload`.
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
   * Pawl or a hook added a text for the model to read. `landing`: the next turn is the run's last, for this
   * reason. `reminder`: the model answered without calling a tool and is asked again. `continues`: a hook's
   * `afterTurn` continues the run with another turn; the turn's output does not count. `tag` is the tag in
   * which the model reads the text, e.g. `Plan`. Default: `note`. `call_id` is the call whose input a hook
   * has changed, if the text says so.
   */
  note: StoredNote;
  /**
   * The model gave the run's output, or an answer without a valid one, see `AgentOptions.output`. Stored in
   * one append with the `assistant_message` of this `attempt`. Has either `value` or `problem`.
   *
   * - `value` is the output: it matches the schema, and the schema's transforms were applied.
   * - `problem` is what is wrong with the answer, as the model reads it. `reminder`: the model answers once
   *   more.
   * - `call_id` is the call of the tool `final_answer`; absent if the model answered with text.
   */
  output: { attempt: number; value?: Json; problem?: string; reminder?: true; call_id?: string };

  // ── Control ────────────────────────────────────────────────────────────────────────────────────
  /**
   * A run started with a new system prompt or new tools, or earlier context changed, e.g. by a checkpoint.
   * Applies to all requests until the next `prefix`. Changes to the agent take effect only with this event.
   * `output_format` is the JSON Schema in which the model must answer, if the agent has an `output` and the
   * model has output formats. `client_tools` are the names of those `tools` that the client of the run has
   * offered, see `RunOptions.clientTools`. `annotations` are what the sources of tools claim about them; the
   * model does not read it.
   */
  prefix: {
    prefix_id: string;
    system: TextBlock[];
    tools: ToolSpec[];
    output_format?: JsonObject;
    client_tools?: string[];
    annotations?: { tool: string; claims: JsonObject }[];
  };
  /**
   * The context before the event `from_seq` was shortened. Applies from the next request on.
   *
   * - `reason` is the form: `drop_old_results` replaces tool results and files by notes, `summary`
   *   replaces everything by the text `summary`, and `start` omits everything.
   * - `only: "files"`: replaces only files. `only: "refused"`: changes only the events in `refused`, because
   *   the model's provider has refused a request with them; with `start`, the context before `from_seq` is
   *   also omitted. `only: "refused_files"` is the form of earlier
   *   versions for files since the model's last answer.
   * - `upto_seq` is the last event of the context from which the checkpoint was made.
   * - A new `prefix` follows in the same append.
   */
  checkpoint: Checkpoint;
  /**
   * The content of the event `seq` was redacted: neither the model nor readers see it any more. `of` is the
   * type of that event. `call_id`, `attempt` or `run_id` help a client to find where it has shown the
   * content. A new `prefix` follows in the same append.
   */
  redaction: { seq: number; of: string; call_id?: string; attempt?: number; run_id?: string };
  /**
   * A run started: for a message, for queued messages, to retry a run, or because another agent has handed
   * the conversation over. `retry_of` is the id of the failed
   * or stopped run that it retries. A retry does not have its own message. `tags` are the tags of hooks
   * that no earlier run of the session has declared, see `Hook.tags`. `given_away` is `true` if the process
   * that stored the start left the run to the engine. `hand_overs` counts the hand-overs to other agents
   * since the user's last message, if the run started by one.
   */
  run_started: {
    run_id: string;
    agent: string;
    agent_version: string;
    retry_of?: string;
    tags?: string[];
    given_away?: true;
    hand_overs?: number;
  } & CalledBy;
  /**
   * A run began to wait. `pending` are the ids of the calls that ask the user, and `hidden` of those that
   * wait for a time, see `ToolContext.wait`. If `pending` is empty, clients show the run as running.
   * `wake_at` is when the run continues even without an answer, ISO 8601. `clock` is the time by the store's
   * clock if that clock was set back, so that the times of events are later: then every question expires
   * after its own duration from `clock` on at the latest.
   */
  run_suspended: { run_id: string; pending: string[]; hidden?: string[]; wake_at?: string; clock?: string };
  /**
   * A process left a run unfinished because it was shutting down (`draining`), because its time was over
   * (`hand_over`, see `times.handOverAfterMs` of `runtime()`), or because its engine took the session back
   * (`taken_back`, see `WokenSession.signal`). Another process continues the run. Absent if the process died
   * or had lost its lease.
   */
  run_left: { run_id: string; reason: "draining" | "hand_over" | "taken_back" };
  /** A process picked up a run that another process has left or given away, or whose process died. */
  run_recovered: { run_id: string };
  /**
   * A process picked up a run that was started by another version of its agent. Stored once per change, also
   * if tools were changed under the same version. `from` and `to` are versions. `tools` compares the tools of
   * the prefix with those that the agent has now: the names that are gone, and those whose description, input
   * schema or annotations differ.
   */
  agent_changed: { run_id: string; from: string; to: string; tools: Record<"removed" | "changed", string[]> };
  /**
   * A run ended, whatever ended it. `turns`, `tokens` and `cost_cents` are totals of the run. `next` is a run
   * that starts in the same append, for queued messages or of the agent that takes the conversation over.
   */
  run_ended: {
    run_id: string;
    stop: StopReason;
    session_status: SessionStatus;
    turns: number;
    tokens: TokenUsage;
    cost_cents: number;
    next?: NextRun;
  };
  /**
   * A hook or a tool gave a task to another agent, see `ToolContext.runAgent`. Stored before the agent
   * begins, in the session `<session>:<task_id>`. `by` names the hook or tool, and `call_id` the tool's call.
   * `key` is the application's key, which clients over HTTP do not get, and `slice` the budget of the task.
   */
  task_started: TaskStart;
  /** The user asked to stop a run. `interrupt`: by sending another message. */
  stop_requested: { run_id: string; interrupt?: boolean };
  /** A hook's `afterRun` (an effect) started. After that, the run can only end, with the reason `stop`. */
  effect_started: { run_id: string; name: string; stop: StopReason };
  /** A hook's `afterRun` (an effect) finished. */
  effect_ended: { run_id: string; name: string; success: boolean };

  // ── Tools ──────────────────────────────────────────────────────────────────────────────────────
  /**
   * The model called a tool; stored together with its `assistant_message`. `invalid` is why the call cannot
   * be run, e.g. because its arguments are not a JSON object. `skipped` is set too if the call is refused as
   * `surplus`, see {@link SkipReason}. Such a call does not count as failed.
   */
  tool_call: { tool_name: string; arguments: Json; call_id: string; invalid?: string; skipped?: SkipReason };
  /**
   * A call is about to run: stored before its tool. `input` is the tool's input if a hook has changed it, and
   * `input_for` is who learns it: `model` by a `note` in the same append, `all` also pages. Clients over HTTP
   * get the input only with `all`. Without the field, nobody does.
   * `slice` is the budget of the call's sub-agent, which works in the session `<session>:<callId>`. `agent`
   * is the sub-agent's name if the call's input has decided which agent works on it. `idempotent: false`: the
   * call must not run again, whatever later versions of the tool say. `about` is what runs, if a question has
   * let the call run, see `tool_suspended`.
   */
  tool_started: OfCall & {
    idempotency_key: string;
    status?: string;
    input?: Json;
    input_for?: InputFor;
    slice?: StoredBudget;
    agent?: string;
    idempotent?: false;
    about?: Consent;
  };
  /**
   * A call asked the user something and waits for the answer.
   *
   * - `by` names the hook that asks; absent if the tool asks.
   * - `before` marks a question about the run instead of a call. Its hook asks it before the first turn
   *   (`run`) or between two turns (`turn`). `tool_name` is then the hook's name, and `call_id` an id of the
   *   question's own. Pawl itself asks for credentials before it resumes a run (`resume`).
   *   A wait that a model's server asked for is stored in the same way (`hidden`, with the kind `retry`).
   * - `input` is the call's input if a hook has changed it, and `input_for` is who learns it.
   * - `child` is the asking call in the session of the call's sub-agent. `spent` is what the sub-agent has
   *   used since its last question, or the cost that the tool has reported.
   * - `state` is what a tool that asks while it runs needs to continue, see `ToolContext.ask`. Clients over
   *   HTTP do not get it.
   * - `expires` is when the question is answered by itself: at the time `at`, or `after_ms` milliseconds
   *   after this event. `default` is the answer.
   * - `hidden`: nobody is asked, the call waits for a time, see `ToolContext.wait`. It is shown as running.
   * - `about` is what the user consents to, if the answer lets the call run. The call does not run if this
   *   differs when the answer comes. Clients over HTTP do not get it.
   * - `changed`: the question is asked again, because these parts have changed since it was asked before.
   * - `client_tool` is the name of a tool that runs at the client, see `ToolOptions.runsIn`. No person is
   *   asked: a page runs the tool with `payload` as its input, and answers with its result.
   */
  tool_suspended: OfCall & {
    kind: string;
    payload: Json;
    answer_schema: JsonObject;
    by?: string;
    before?: QuestionPlace;
    input?: Json;
    input_for?: InputFor;
    child?: { session_id: string; call_id: string; question: number };
    spent?: Spent;
    state?: Json;
    expires?: { at?: string; after_ms?: number; default: Json };
    hidden?: true;
    client_tool?: string;
    about?: Consent;
    changed?: ConsentPart[];
  };
  /**
   * A question was answered or closed. `value` is the answer. `closed` is why the question was closed without
   * an answer, and `closed_by` what closed it, which logs of earlier versions lack. `error` is why a tool at
   * the client failed; the call's result repeats it. `caller` is what the application says about the user
   * from now on, see `RunOptions.caller`. `credentials` says that the answer came with some, which are never
   * stored. `expired`: nobody has answered in time, and `value` is the default. `hidden`: the call waited for
   * a time.
   */
  tool_answered: OfCall & CalledBy & Closed & { value: Json; error?: string; expired?: true; hidden?: true };

  /**
   * A tool or a hook emitted a part for pages, see `ToolContext.emit`. The model does not read it. A part
   * with an `id` replaces the earlier part of the same message that has the same `type` and `id`. `call_id`
   * is the call whose tool has emitted it.
   */
  data_part: { type: `data-${string}`; data: Json; id?: string; call_id?: string };

  // ── Observability ──────────────────────────────────────────────────────────────────────────────
  /**
   * A request is about to be sent to the model: stored before it. The prompt is not stored but can be rebuilt
   * byte for byte: it is the prefix and the context up to `upto_seq`.
   *
   * - `hash` is a SHA-256 of the prompt, without cache breakpoints.
   * - `params` are the request's parameters, see {@link SentParams}.
   * - `limited_by` names the limit that has reduced `max_tokens`.
   * - `turn` counts from 1 within the run.
   * - `retry_of` is the `seq` of the failed attempt that this request repeats in the same turn.
   * - `again` is the `seq` of an earlier request of this turn whose answer was lost, e.g. because its process
   *   died. This request may contain more events.
   * - `role` is the agent's role that answers. For an agent without roles, it is the agent's name if it can
   *   hand the conversation over or the session was handed over, and otherwise absent.
   */
  llm_request: {
    model: string;
    prompt: { prefix_id: string; upto_seq: number; hash: string };
    params: SentParams;
    estimated_tokens: number;
    /** The length of the prompt in characters, as the estimate counts it. */
    chars?: number;
    /**
     * Estimated cost of the prompt, charged by a `spending` if the answer is lost. Absent if the model has no
     * prices.
     */
    estimated_cost_cents?: number;
    limited_by?: StoredAnswerLimit;
    turn: number;
    retry_of?: number;
    again?: number;
    role?: string;
  };
  /**
   * The server reported the usage of an answer, of a failed answer, or of a summary. `attempt` is the `seq`
   * of the `llm_request`, or 0 for a summary.
   */
  llm_response: {
    raw_response: Record<"id" | "model" | "stop_reason" | "stop_sequence", string | null> & {
      usage: JsonObject;
    };
    tokens: TokenUsage;
    cost_cents: number;
    attempt: number;
    request_id?: string;
  };
  /**
   * Something other than the agent's own model used tokens, e.g. a model that a hook asked. They count
   * towards the run's limits and the session's totals. `by` names the spender. `by: "lost_answer"` marks the
   * estimate for a request whose answer was lost; `attempt` is the `seq` of that `llm_request`. A sub-agent
   * whose task was stopped at the end of the run is named by its tool.
   *
   * `task` is the task that is charged, of a `task_started`, and `task_over` says that it has ended.
   *
   * `answer` is the model's answer to a `context.askModel` with a `key`, so that the same call after a crash
   * costs nothing. `output` is its structured output before the schema's transforms.
   */
  spending: ChargedUse;
  /**
   * Something failed during a run, or a limit ended it. The `onError` hooks get the same data. `message` is
   * for developers, and `stack` is always `null`.
   *
   * If a limit has ended the run, `context` has the run's `turns` and, if known, the `resource`, its `limit`,
   * how much was `spent`, and what is limited (`of`: the request or the conversation). The resource for cost
   * is `costCents`, in US cents.
   */
  error: { code: string; message: string; stack: null; context: Json };
}
