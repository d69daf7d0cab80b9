import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionEvent } from "../../src/index.ts";
import { foldView, newView, reduceView, runMessageId, viewFold } from "../../src/view.ts";
import { anyLog, logOf, type Made } from "../support/any-log.ts";

it("B8 a fold of any log has the result of reduceView, event by event", async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.nat(80), async (events, place) => {
      const whole = events.reduce(reduceView, newView());
      const view = await foldView(events);
      expect(view).toEqual(whole);
      expect(JSON.parse(JSON.stringify(view))).toEqual(JSON.parse(JSON.stringify(whole)));
      // The fold is asked in the middle, and goes on. Another one begins with that view.
      const fold = viewFold();
      await fold.addEvents(events.slice(0, place), () => undefined);
      const middle = fold.view();
      expect(middle).toEqual(events.slice(0, place).reduce(reduceView, newView()));
      for (const event of events.slice(place)) fold.add(event);
      expect(fold.view()).toEqual(whole);
      expect(fold.run).toEqual(whole.run);
      const { parts = [] } = whole.messages.findLast(({ id }) => id === runMessageId(whole.run)) ?? {};
      for (const id of ["c1", "c2"]) {
        const part = parts.findLast((one) => one.type === "tool" && one.callId === id);
        expect(fold.call(id)).toEqual(part);
      }
      expect(await foldView(events.slice(place), middle)).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

const started = (run_id: string, more = {}): Made => [
  "run_started",
  { run_id, agent: "a", agent_version: "1", ...more },
];
const queued: Made = ["user_message", { message: "And?", queued: true }];
const texts = (attempt: number, count: number): Made => [
  "assistant_message",
  {
    attempt,
    content: Array.from({ length: count }, (_, n) => ({ type: "text", text: `${n}` })),
    complete: count,
    disposition: "kept",
  },
];
const calls: Made = [
  "assistant_message",
  {
    attempt: 1,
    content: Array.from({ length: 30 }, (_, n) => ({ type: "tool_use", id: `c${n}`, name: "t", input: {} })),
    complete: 30,
    disposition: "kept",
  },
];
const artifact: Made = ["artifact", { artifact_id: "a", type: "t", title: "A plan" }];
const result: Made = [
  "tool_result",
  { call_id: "c1", tool_name: "t", success: true, result: 1, report: { sources: [{ id: "s", title: "S" }] } },
];
const redacted = (data: object): Made => ["redaction", data];

it.each<[string, Made[]]>([
  [
    "a retry of a run with many parts",
    [started("r1"), calls, artifact, texts(2, 30), started("r2", { retry_of: "r1" }), texts(3, 1)],
  ],
  [
    "an answer that comes again, after parts of other answers",
    [started("r1"), texts(1, 30), texts(2, 30), artifact, texts(1, 30)],
  ],
  [
    "a run's message that loses all parts to a redaction, and comes again after a later message",
    [
      started("r1"),
      artifact,
      ["user_message", { message: "Hi" }],
      redacted({ seq: 2, of: "artifact" }),
      result,
    ],
  ],
  [
    "redactions of an answer with many parts",
    [
      started("r1"),
      calls,
      result,
      texts(2, 30),
      redacted({ seq: 4, of: "assistant_message", attempt: 2 }),
      redacted({ seq: 3, of: "tool_result", call_id: "c1" }),
      redacted({ seq: 3, of: "tool_call", call_id: "c2" }),
    ],
  ],
])("B8 a fold has the result of reduceView: %s", async (_, made) => {
  const events = logOf(made);
  expect(await foldView(events)).toEqual(events.reduce(reduceView, newView()));
});

it("B8 a message that is queued again keeps its place, and a run's message comes before it", async () => {
  const again = { key: "message:m1", type: "user_message", data: { message: "Hi", queued: true } };
  const first = { ...again, data: { message: "Hi" } };
  const events = [...logOf([started("r0")]), first, ...logOf([started("r1"), queued, artifact])]
    .flatMap((event) => (event.type === "artifact" ? [again, event] : [event]))
    .map((event, at) => ({ ...event, seq: at + 1 })) as SessionEvent[];
  const view = await foldView(events);
  expect(view).toEqual(events.reduce(reduceView, newView()));
  expect(view.messages.map(({ role }) => role)).toEqual(["assistant", "user", "user"]);
});
