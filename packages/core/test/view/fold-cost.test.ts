import { expect, it } from "vitest";
import { foldBy } from "../../src/view/fold-view.ts";
import { newView, reduceView } from "../../src/view.ts";
import { logOf, type Made } from "../support/any-log.ts";

const times = (count: number, make: (n: number) => readonly Made[]): Made[] =>
  Array.from({ length: count }, (_, n) => make(n)).flat();

const started = (run_id: string): Made => ["run_started", { run_id, agent: "a", agent_version: "1" }];
const asked = (upto_seq: number): Made => ["llm_request", { prompt: { prefix_id: "p", upto_seq } }];
const answered = (attempt: number, content: readonly object[]): Made => [
  "assistant_message",
  { attempt, content, complete: content.length, disposition: "kept" },
];
const called = (n: number) => ({ type: "tool_use", id: `c${n}`, name: "look", input: {} });
const ended = (run_id: string): Made => [
  "run_ended",
  {
    run_id,
    stop: { type: "end_turn", message: "" },
    tokens: { prompt: 0, completion: 0, cached: 0, total: 0 },
  },
];
const call = (n: number) => ({ call_id: `c${n}`, tool_name: "look" });
const begun = (n: number): Made => ["tool_started", call(n)];
const result = (n: number): Made => ["tool_result", { ...call(n), success: true, result: 1 }];
const redacted = (seq: number, of: string, more: object = {}): Made => ["redaction", { seq, of, ...more }];

const run = (n: number): Made[] => [
  started(`${n}`),
  ["user_message", { message: "Hi" }],
  asked(n * 5 + 2),
  answered(n * 5 + 3, [{ type: "text", text: "Yes." }]),
  ended(`${n}`),
];
const atOnce = (count: number): Made[] => [
  started("r"),
  asked(1),
  answered(
    2,
    Array.from({ length: count }, (_, n) => called(n)),
  ),
  ...times(count, (n) => [begun(n)]),
  ...times(count, (n) => [result(n)]),
];

/** Logs of about so many events. */
const LOGS: Record<string, (events: number) => Made[]> = {
  "many runs": (events) => times(events / 5, run),
  "one run with many turns": (events) => [
    started("r"),
    ...times(events / 4, (n) => [asked(n * 4 + 1), answered(n * 4 + 2, [called(n)]), begun(n), result(n)]),
  ],
  "one answer with many calls": (events) => atOnce(events / 2),
  "one answer with many blocks": (events) => [
    started("r"),
    answered(
      2,
      Array.from({ length: events }, () => ({ type: "text", text: "a" })),
    ),
    ...times(events, () => [asked(1)]),
  ],
  "many runs, all redacted": (events) => [
    ...times(events / 10, run),
    ...times(events / 10, (n) => [
      redacted(n * 5 + 2, "user_message"),
      redacted(n * 5 + 4, "assistant_message", { attempt: n * 5 + 3 }),
    ]),
  ],
  "one run, all calls redacted": (events) => [
    ...atOnce(events / 4),
    ...times(events / 4, (n) => [
      redacted(n + 4, "tool_call", call(n)),
      redacted(n + 5, "tool_result", call(n)),
    ]),
  ],
  "many queued messages": (events) => [
    started("r"),
    ...times(events / 2, () => [["user_message", { message: "And?", queued: true }]]),
    asked(events),
    ...times(events / 2, (n) => [answered(n + events, [{ type: "text", text: "a" }])]),
  ],
  "many questions at once": (events) => [
    ...atOnce(events / 4).slice(0, 3),
    ...times(events / 4, (n) => [["tool_suspended", { ...call(n), kind: "ask", payload: {} }]]),
    ...times(events / 4, (n) => [["tool_answered", { ...call(n), value: 1 }]]),
  ],
};

it.each(Object.entries(LOGS))(
  "B8 a fold visits as much for each event, however many: %s",
  async (_, make) => {
    for (const size of [1_000, 100_000]) {
      const events = logOf(make(size));
      let visited = 0;
      const { addEvents, view } = foldBy((before, event) => {
        const after = reduceView(before, event);
        for (const { messages, pending, runningTools } of [before, after]) {
          visited += messages.length + pending.length + Object.keys(runningTools).length;
          for (const { parts } of messages) visited += parts.length;
        }
        return after;
      }, newView());
      await addEvents(events);
      expect(view().cursor).toBe(events.length);
      expect(visited / size).toBeLessThan(25);
    }
  },
);
