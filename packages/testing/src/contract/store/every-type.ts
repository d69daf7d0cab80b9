import type { EventData, EventType, StopReason } from "@pawl/core";
import type { CalledBy } from "@pawl/core/inspect";
import type { NewEvent } from "@pawl/core/store";

const tokens: EventData["llm_response"]["tokens"] = {
  prompt: 10,
  completion: 5,
  cached: 100,
  cache_write: 20,
  cache_write_1h: 0,
  total: 135,
};

const stop: StopReason = { type: "end_turn", message: "The model is done." };
const calledBy: Required<CalledBy> = { caller: { roles: ["admin"] }, credentials: true };

/** One payload of each event type, with all its fields. The compiler checks that none is missing. */
const payloads: { [T in EventType]: Required<EventData[T]> } = {
  user_message: { message: "Good morning", queued: true, params: { locale: "de" }, ...calledBy },
  assistant_message: {
    content: [{ type: "text", text: "Hello" }],
    disposition: "kept",
    stop_reason: "end_turn",
    attempt: 4,
    complete: 1,
  },
  tool_result: {
    call_id: "c1",
    tool_name: "weather",
    success: true,
    result: { degrees: 21 },
    content: [{ type: "text", text: "21 degrees" }],
    resend: { city: "saved" },
    ends_run: true,
    session_status: "completed",
    mode: null,
    skipped: "duplicate",
    spent: { tokens, cost_cents: 0.02 },
    status: "Looked",
    report: { connector: "met", fragments: ["f1", "f2"], summary: "1 forecast", code: "ECONNREFUSED" },
  },
  knowledge: { source: "goals", data: "run 5 km", params: { days_back: 7 }, tag: "Goals" },
  artifact: {
    artifact_id: "art_1",
    type: "workout",
    schema_version: "1.0",
    title: "Legs",
    summary: { minutes: 40 },
    auto_start: false,
    payload: { exercises: [] },
  },
  note: { text: "the user is in a hurry", tag: "Plan", landing: stop, reminder: true },
  prefix: { prefix_id: "p1", system: [{ type: "text", text: "You are a coach." }], tools: [] },
  checkpoint: { from_seq: 12, upto_seq: 20, reason: "summary", summary: "They talked about running." },
  redaction: { seq: 3, of: "user_message", call_id: "c1", attempt: 4 },
  run_started: { run_id: "r1", agent: "coach", agent_version: "1", retry_of: "r0", ...calledBy },
  run_suspended: { run_id: "r1", pending: ["c1"] },
  run_left: { run_id: "r1", reason: "draining" },
  run_recovered: { run_id: "r1" },
  agent_changed: { run_id: "r1", from: "1", to: "2", tools: { removed: ["weather"], changed: [] } },
  run_ended: {
    run_id: "r1",
    stop,
    session_status: "completed",
    turns: 1,
    tokens,
    cost_cents: 0.5,
    next: { run_id: "r2", messages: [7, 9] },
  },
  stop_requested: { run_id: "r1", interrupt: true },
  effect_started: { run_id: "r1", name: "summary", stop },
  effect_ended: { run_id: "r1", name: "summary", success: true },
  tool_call: {
    tool_name: "weather",
    arguments: { city: "Bern" },
    call_id: "c1",
    invalid: "The arguments are not a JSON object.",
    skipped: "surplus",
  },
  tool_started: {
    tool_name: "weather",
    call_id: "c1",
    idempotency_key: "s:5:c1",
    status: "Looking",
    input: { city: "Berne" },
    slice: { turns: 3, costCents: 0.25 },
    agent: "forecaster",
    idempotent: false,
  },
  tool_suspended: {
    tool_name: "ask",
    call_id: "c2",
    kind: "question",
    payload: {},
    answer_schema: {},
    by: "approval",
    before: "turn",
    input: { city: "Berne" },
    child: { session_id: "s:c2", call_id: "c3", question: 8 },
    spent: { tokens, cost_cents: 0.01 },
    state: { step: 2 },
  },
  tool_answered: {
    tool_name: "ask",
    call_id: "c2",
    value: "yes",
    error: "The camera is off.",
    closed: "the user wrote a new message",
    ...calledBy,
  },
  llm_request: {
    model: "claude",
    prompt: { prefix_id: "p1", upto_seq: 3, hash: "00" },
    params: { max_tokens: 1_000, tool_choice: { type: "auto" }, tools: ["weather"] },
    estimated_tokens: 120,
    estimated_cost_cents: 0.1,
    limited_by: "costCents",
    turn: 1,
    retry_of: 3,
    again: 2,
  },
  llm_response: {
    raw_response: { id: "m1", model: "claude", stop_reason: "end_turn", stop_sequence: null, usage: {} },
    tokens,
    cost_cents: 0.5,
    attempt: 4,
    request_id: "req_1",
  },
  spending: {
    by: "initializer",
    model: "small",
    tokens,
    cost_cents: 0.01,
    attempt: 4,
    answer: { text: "{}", stop_reason: "tool_use", output: { topic: null } },
  },
  error: { code: "model_error", message: "overloaded", stack: null, context: { status: 529 } },
};

/** One new event of each type that core knows, with all its fields. */
export const everyType: readonly NewEvent[] = (Object.keys(payloads) as EventType[]).map(
  (type) => ({ type, data: payloads[type] }) as NewEvent,
);
