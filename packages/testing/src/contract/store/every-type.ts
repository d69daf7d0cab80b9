import type { EventData, EventType } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";

const tokens: EventData["llm_response"]["tokens"] = {
  prompt: 10,
  completion: 5,
  cached: 100,
  cache_write: 20,
  cache_write_1h: 0,
  total: 135,
};

/** One payload of each event type. The compiler checks that no type is missing. */
const payloads: EventData = {
  user_message: { message: "Good morning" },
  assistant_message: {
    content: [{ type: "text", text: "Hello" }],
    disposition: "kept",
    stop_reason: "end_turn",
    attempt: 4,
    complete: 1,
  },
  tool_result: { call_id: "c1", tool_name: "weather", success: true, result: { degrees: 21 } },
  knowledge: { source: "goals", data: "run 5 km", params: { days_back: 7 } },
  artifact: {
    artifact_id: "art_1",
    type: "workout",
    schema_version: "1.0",
    title: "Legs",
    summary: { minutes: 40 },
    auto_start: false,
    payload: { exercises: [] },
  },
  note: { text: "the user is in a hurry" },
  prefix: { prefix_id: "p1", system: [{ type: "text", text: "You are a coach." }], tools: [] },
  checkpoint: { from_seq: 12, upto_seq: 20, reason: "summary", summary: "They talked about running." },
  redaction: { seq: 3, of: "user_message" },
  run_started: { run_id: "r1", agent: "coach", agent_version: "1" },
  run_suspended: { run_id: "r1", pending: ["c1"] },
  run_left: { run_id: "r1", reason: "draining" },
  run_recovered: { run_id: "r1" },
  agent_changed: { run_id: "r1", from: "1", to: "2", tools: { removed: ["weather"], changed: [] } },
  run_ended: {
    run_id: "r1",
    stop: { type: "end_turn", message: "The model is done." },
    session_status: "completed",
    turns: 1,
    tokens,
    cost_cents: 0.5,
  },
  stop_requested: { run_id: "r1" },
  effect_started: { run_id: "r1", name: "summary", stop: { type: "end_turn", message: "Done." } },
  effect_ended: { run_id: "r1", name: "summary", success: true },
  tool_call: { tool_name: "weather", arguments: { city: "Bern" }, call_id: "c1" },
  tool_started: { tool_name: "weather", call_id: "c1", idempotency_key: "s:5:c1" },
  tool_suspended: { tool_name: "ask", call_id: "c2", kind: "question", payload: {}, answer_schema: {} },
  tool_answered: { tool_name: "ask", call_id: "c2", value: "yes" },
  llm_request: {
    model: "claude",
    prompt: { prefix_id: "p1", upto_seq: 3, hash: "00" },
    params: { max_tokens: 1_000 },
    estimated_tokens: 120,
    turn: 1,
    again: 2,
  },
  llm_response: {
    raw_response: { id: "m1", model: "claude", stop_reason: "end_turn", stop_sequence: null, usage: {} },
    tokens,
    cost_cents: 0.5,
    attempt: 4,
  },
  spending: { by: "initializer", model: "small", tokens, cost_cents: 0.01 },
  error: { code: "model_error", message: "overloaded", stack: null, context: { status: 529 } },
};

/** One new event of each type that core knows. */
export const everyType: readonly NewEvent[] = (Object.keys(payloads) as EventType[]).map(
  (type) => ({ type, data: payloads[type] }) as NewEvent,
);
