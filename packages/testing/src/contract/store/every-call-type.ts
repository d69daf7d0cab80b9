import type { EventData } from "@pawl/core";
import type { CalledBy } from "@pawl/core/inspect";

/** Tokens of every kind. */
export const tokens: EventData["llm_response"]["tokens"] = {
  prompt: 10,
  completion: 5,
  cached: 100,
  cache_write: 20,
  cache_write_1h: 0,
  total: 135,
};

/** A caller with credentials. */
export const calledBy: Required<CalledBy> = { caller: { roles: ["admin"] }, credentials: true };

/** The types of events about calls and tasks. */
type CallTypes = "tool_call" | "task_started" | "tool_started" | "tool_suspended" | "tool_answered";

/** One payload of each of these types, with all its fields. The compiler checks that none is missing. */
export const ofCalls: { [T in CallTypes]: Required<EventData[T]> } = {
  tool_call: {
    tool_name: "weather",
    arguments: { city: "Bern" },
    call_id: "c1",
    invalid: "The arguments are not a JSON object.",
    skipped: "surplus",
  },
  task_started: {
    task_id: "task_1",
    by: "look",
    agent: "researcher",
    key: "a",
    slice: {},
    call_id: "toolu_1",
  },
  tool_started: {
    tool_name: "weather",
    call_id: "c1",
    idempotency_key: "s:5:c1",
    status: "Looking",
    input: { city: "Berne" },
    input_for: "all",
    slice: { turns: 3, costCents: 0.25 },
    agent: "forecaster",
    idempotent: false,
    about: { input: { city: "Berne", unit: "celsius" } },
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
    input_for: "model",
    child: { session_id: "s:c2", call_id: "c3", question: 8 },
    spent: { tokens, cost_cents: 0.01 },
    state: { step: 2 },
    expires: { at: "2026-12-24T18:00:00.000Z", after_ms: 60_000, default: null },
    hidden: true,
    client_tool: "locate",
    about: {
      input: { city: "Berne", unit: "celsius" },
      tool: { description: "00", input_schema: "00", annotations: "00", server: "00" },
    },
    changed: ["input"],
  },
  tool_answered: {
    tool_name: "ask",
    call_id: "c2",
    value: "yes",
    error: "The camera is off.",
    closed: "the user wrote a new message",
    closed_by: "message",
    expired: true,
    hidden: true,
    ...calledBy,
  },
};
