import fc from "fast-check";
import type { SessionEvent } from "../../src/index.ts";

/** The type and the data of an event. */
export type Made = readonly [type: string, data: object];

/** Numbers stored events from 1 on. */
export function logOf(made: readonly Made[]): SessionEvent[] {
  return made.map(([type, data], at) => ({ type, data, seq: at + 1 }) as unknown as SessionEvent);
}

const calls = fc.constantFrom("c1", "c2", "c3", "__proto__");
const runs = fc.constantFrom("r1", "r2");
// A client may give a message any id, also that of a run's message.
const keys = fc.constantFrom(null, null, "message:m1", "message:m2", "message:run:r1");
const tokens = { prompt: 1, completion: 1, cached: 0, total: 2 };
const files = [{ id: "f", media_type: "image/png", bytes: 1 }];
const place = fc.nat({ max: 60 });
const maybe = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }));
const merged = (...fields: fc.Arbitrary<object>[]) =>
  fc.tuple(...fields).map((all): object => Object.assign({}, ...all));

const block = fc.oneof(
  fc.constantFrom("a", " b ", "").map((text) => ({ type: "text", text })),
  fc.constant({ type: "thinking", thinking: "Hm", signature: "s" }),
  calls.map((id) => ({ type: "tool_use", id, name: "look", input: { a: 1 } })),
  fc.constant({
    type: "web_search_tool_result",
    tool_use_id: "w",
    content: [{ type: "web_search_result", url: "https://example.com", title: "E" }],
  }),
);
const content = fc.oneof(
  fc.array(block, { maxLength: 4 }),
  // A message with many parts is folded in another way than one with few.
  fc.array(block, { minLength: 17, maxLength: 40 }),
);
const call = merged(
  calls.map((call_id) => ({ call_id })),
  fc.constant({ tool_name: "look" }),
);

const delta = fc
  .tuple(place, fc.nat(3), fc.nat(3), fc.constantFrom("", "x", "xyz"))
  .map(([attempt, index, offset, text]) => ({ attempt, index, offset, text }));
const outputDelta = merged(delta, fc.constant({ index: 0 }), maybe("wrapped", fc.constant(true)));
const agentDelta = merged(delta, call, fc.constant({ agent: "below", session_id: "s:c" }));

const data: Record<string, fc.Arbitrary<object>> = {
  user_message: merged(
    fc.constantFrom("Hi", "").map((message) => ({ message })),
    maybe("queued", fc.constant(true)),
    maybe("files", fc.constant(files)),
  ),
  run_started: merged(
    runs.map((run_id) => ({ run_id, agent: "a", agent_version: "1" })),
    maybe("retry_of", runs),
  ),
  llm_request: place.map((upto_seq) => ({ prompt: { prefix_id: "p", upto_seq } })),
  run_recovered: fc.constant({ run_id: "r1" }),
  assistant_message: merged(
    fc.tuple(place, content).map(([attempt, blocks]) => ({ attempt, content: blocks })),
    fc.constant({ complete: 99, disposition: "kept" }),
    maybe("output", fc.constantFrom("text", "call")),
  ),
  output: merged(
    place.map((attempt) => ({ attempt })),
    maybe("value", fc.constant({ a: 1 })),
  ),
  artifact: fc.constantFrom("A plan", "[redacted]").map((title) => ({ artifact_id: "a", type: "t", title })),
  data_part: merged(
    fc.constantFrom("data-a", "data-b").map((type) => ({ type })),
    fc.nat(9).map((n) => ({ data: n })),
    maybe("id", fc.constantFrom("1", "2")),
    maybe("call_id", calls),
  ),
  tool_started: merged(call, maybe("status", fc.constant("Looking"))),
  tool_suspended: merged(
    call,
    fc.constant({ kind: "ask", payload: { q: 1 }, answer_schema: {} }),
    maybe("before", fc.constant("model")),
    maybe("hidden", fc.constant(true)),
  ),
  tool_answered: merged(
    call,
    fc.constant({ value: { yes: true } }),
    maybe("error", fc.constant("No.")),
    fc.constantFrom(
      {},
      // As earlier versions have stored it.
      { closed: "stopped" },
      ...["message", "stop", "end"].map((closed_by) => ({ closed: "stopped", closed_by })),
    ),
    maybe("expired", fc.constant(true)),
    maybe("hidden", fc.constant(true)),
  ),
  tool_result: merged(
    call,
    fc.boolean().map((success) => ({ success, result: { r: 1 } })),
    maybe("files", fc.constant(files)),
    maybe("report", fc.constant({ sources: [{ id: "s", title: "S" }] })),
    maybe("skipped", fc.constant("closed")),
  ),
  run_suspended: fc.constantFrom([], ["c1"]).map((pending) => ({ run_id: "r1", pending })),
  run_ended: fc.tuple(runs, fc.constantFrom("end_turn", "error")).map(([run_id, type]) => ({
    run_id,
    stop: { type, message: "Over." },
    session_status: type === "error" ? "error" : "idle",
    tokens,
    cost_cents: 1,
  })),
  note: fc.constant({ text: "n" }),
  text_delta: delta,
  thinking_delta: delta,
  output_delta: outputDelta,
  agent_delta: agentDelta,
  tool_progress: merged(call, fc.constant({ data: 50 })),
  attempt_restarted: place.map((attempt) => ({ attempt })),
};
const redaction = merged(
  fc.tuple(place, fc.constantFrom(...Object.keys(data))).map(([seq, of]) => ({ seq, of })),
  maybe("call_id", calls),
  maybe("attempt", place),
  maybe("run_id", runs),
);

const LIVE = /_delta$|^tool_progress$|^attempt_restarted$/;

const made: fc.Arbitrary<{ type: string; data: object; key: string | null }> = fc.oneof(
  ...Object.entries({ ...data, redaction }).map(([type, one]) =>
    fc.tuple(one, keys).map(([fields, key]) => ({ type, data: fields, key })),
  ),
);

/**
 * Events in any order, with the numbers of a log: also in orders that no runtime stores, with live events in
 * between. Some events come twice.
 */
export const anyLog: fc.Arbitrary<SessionEvent[]> = fc
  .array(fc.tuple(made, fc.nat(9)), { maxLength: 80, size: "max" })
  .map((all) => {
    let seq = 0;
    return all.flatMap(([{ key, ...event }, chance]) => {
      if (!LIVE.test(event.type)) seq += 1;
      const one = LIVE.test(event.type) ? event : { ...event, key, seq, sessionId: "s", at: "2026-01-01" };
      return (chance === 0 ? [one, one] : [one]) as unknown as SessionEvent[];
    });
  });
