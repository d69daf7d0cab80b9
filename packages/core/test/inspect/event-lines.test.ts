import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore, type StoredEvent } from "../../src/index.ts";
import { eventLine, withEventLines } from "../../src/inspect.ts";
import { setup } from "../support/setup.ts";

const at = "2026-11-21T09:05:47.310Z";
const event = (type: string, data: object, more: object = {}) =>
  ({ sessionId: "7f3e9b20-e5", seq: 1, v: 1, at, type, data, ...more }) as StoredEvent;

describe("O3 a line for every event", () => {
  it("has its time, its session, what it is and what it says", () => {
    const files = [{ id: "0".repeat(64), media_type: "image/png", bytes: 70 }];
    expect(eventLine(event("user_message", { message: "My lunch", files }))).toContain("“My lunch” · 1 file");
    expect(eventLine(event("user_message", { message: "", files }))).toMatch(/user_message 1 file$/);
    expect(eventLine(event("user_message", { message: "Something for\nthe back" }))).toBe(
      "09:05:47.310 [7f3e9b20] 👤 user_message “Something for the back”",
    );
    const tokens = { prompt: 300, cached: 4100, cache_write: 0, completion: 35 };
    expect(
      eventLine(
        event(
          "llm_response",
          { raw_response: { stop_reason: "tool_use" }, tokens, cost_cents: 0.247 },
          { durationMs: 2_600 },
        ),
      ),
    ).toBe(
      "09:05:47.310 [7f3e9b20] 📥 llm_response tool_use · 4,400 in (4,100 cached), 35 out · $0.0025 · 2.6 s",
    );
    expect(eventLine(event("planning.plan", { steps: ["a"] }))).toBe(
      '09:05:47.310 [7f3e9b20] ▫️ planning.plan {"steps":["a"]}',
    );
  });

  const run_id = "3c1d90aa-77";
  const call = { tool_name: "search", call_id: "toolu_01Ab9b2c41fe" };
  const tokens = { prompt: 10, cached: 0, cache_write: 0, completion: 5 };
  const params = { max_tokens: 1_500 };
  const request = { turn: 2, model: "m", estimated_tokens: 900, params };
  const stop = { type: "deadline", message: "I stopped here." };

  it.each<[string, string, object, string]>([
    [
      "which run has ended, of what, and what its user was told",
      "run_ended",
      { run_id, stop, turns: 2, tokens, cost_cents: 0 },
      "▫️ run_ended run 3c1d90aa · deadline: “I stopped here.” · 2 turns · 10 in, 5 out",
    ],
    [
      "which run begins",
      "run_started",
      { run_id, agent: "coach", agent_version: "v1" },
      "▫️ run_started run 3c1d90aa · coach, version v1",
    ],
    [
      "by whom a message was refused",
      "checkpoint",
      { reason: "refused", from_seq: 1, refused: { by: "hook", events: [{ seq: 3 }] } },
      "▫️ checkpoint refused by a hook: 1 event changed",
    ],
    [
      "why a turn is the last one",
      "note",
      { text: "Last turn.", landing: stop },
      "📚 note “Last turn.” · last turn, deadline: “I stopped here.”",
    ],
    ["no more than its text of another note", "note", { text: "Hi." }, "📚 note “Hi.”"],
    [
      "how long the answer may be",
      "llm_request",
      request,
      "📤 llm_request turn 2 · m · about 900 tokens · max_tokens 1,500",
    ],
    [
      "which limit shortens the answer",
      "llm_request",
      { ...request, limited_by: "costCents" },
      "📤 llm_request turn 2 · m · about 900 tokens · max_tokens 1,500 · limited_by costCents",
    ],
    ["who asked for the end", "stop_requested", { run_id }, "▫️ stop_requested a stop was requested"],
    [
      "which call was made",
      "tool_call",
      { ...call, arguments: {} },
      "🔧 tool_call call 9b2c41fe · search({})",
    ],
    ["which call has started", "tool_started", call, "🔧 tool_started call 9b2c41fe · search"],
    [
      "which agent does a call's work, if the input has chosen it",
      "tool_started",
      { ...call, agent: "law", status: "Asking" },
      "🔧 tool_started call 9b2c41fe · search · agent law · Asking",
    ],
    ["the data of an own event", "search.asked", { q: "Q4", n: 3 }, '▫️ search.asked {"q":"Q4","n":3}'],
    ["an own event without data", "search.done", null as never, "▫️ search.done"],
    [
      "no more than a line of an own event's data",
      "search.asked",
      { q: "x".repeat(500) },
      `▫️ search.asked {"q":"${"x".repeat(113)}…`,
    ],
    [
      "which call asks",
      "tool_suspended",
      { ...call, kind: "k", payload: null },
      "🔧 tool_suspended call 9b2c41fe · search asks and waits",
    ],
    [
      "that a call failed",
      "tool_result",
      { ...call, success: false, result: "No." },
      "🔧 tool_result call 9b2c41fe · search · failed · No.",
    ],
    [
      "nothing of a failure where a call succeeded",
      "tool_result",
      { ...call, success: true, result: "Yes." },
      "🔧 tool_result call 9b2c41fe · search · Yes.",
    ],
    ["the tag of a note", "note", { text: "1. Search.", tag: "Plan" }, "📚 note Plan · “1. Search.”"],
    [
      "M4 what a tool has reported",
      "tool_result",
      {
        ...call,
        success: true,
        result: ["m1"],
        spent: { tokens, cost_cents: 0.23 },
        report: { connector: "gmail", fragments: ["m1"], summary: "1 mail about Q4" },
      },
      "🔧 tool_result call 9b2c41fe · search · gmail · 1 fragment · 1 mail about Q4 · $0.0023",
    ],
    [
      "M4 the code of a failure",
      "tool_result",
      { ...call, success: false, result: "No.", report: { code: "ECONNREFUSED" } },
      "🔧 tool_result call 9b2c41fe · search · failed ECONNREFUSED · No.",
    ],
    [
      "what the user answered",
      "tool_answered",
      { ...call, value: "yes" },
      "👤 tool_answered call 9b2c41fe · yes",
    ],
    [
      "with the neutral icon that a question was closed",
      "tool_answered",
      { ...call, value: null, closed: "the run was stopped." },
      "▫️ tool_answered call 9b2c41fe · closed: the run was stopped.",
    ],
  ])("says %s", (_, type, data, line) => {
    expect(eventLine(event(type, data))).toBe(`09:05:47.310 [7f3e9b20] ${line}`);
  });

  it("says how large a payload in a blob is, whatever its event", () => {
    const data = { $blob: "0f".repeat(32), bytes: 300_000 };
    for (const type of ["user_message", "tool_result", "artifact", "llm_response", "run_ended"])
      expect(eventLine(event(type, data))).toMatch(new RegExp(`${type} 300,000 bytes, in a blob$`));
  });

  it("is one line, and nothing that is said in it moves the terminal's cursor", () => {
    const message = `a\r\nb\u001b[2J\u0007c\u202ed\u2028e ${"long ".repeat(100)}`;
    for (const line of [
      eventLine(event("user_message", { message })),
      eventLine(event("error", { code: "x", message, stack: null, context: null })),
      eventLine(event("search.asked", { message })),
      eventLine(event("search.asked", message as never)),
    ]) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
      expect(line.length).toBeLessThan(200);
    }
  });

  it("never harms a run: a printer that throws is reported, and the log is complete", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const store = withEventLines(memoryStore(), () => {
      throw new Error("The disk is full.");
    });
    const world = setup([{ text: "Hello." }], {}, { store });
    const { sessionId, stop } = await world.say("Hi");
    expect(stop.type).toBe("end_turn");
    expect((await world.log(sessionId)).at(-1)?.type).toBe("run_ended");
    expect(told).toHaveBeenCalledWith("pawl: an event could not be printed: The disk is full.");
  });

  it("is printed once it is stored, for each event of a run, and for none that was refused", async () => {
    const printed: StoredEvent[] = [];
    const store = withEventLines(memoryStore(), (_line, event) => printed.push(event));
    const world = setup([{ text: "Hello." }], {}, { store });
    const { sessionId } = await world.say("Hi");
    expect(printed).toEqual(await world.log(sessionId));
    const before = printed.length;
    const stale = store.append(sessionId, [{ type: "note", data: { text: "x" } }], {
      appendId: "1",
      afterSeq: 1,
    });
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
    expect(printed).toHaveLength(before);
  });
});
