import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AspEvent, type AspView, newAspView, parseAspEvent, reduceAsp } from "../src/asp.ts";

const fold = (events: readonly AspEvent[], from: AspView = newAspView()): AspView =>
  events.reduce(reduceAsp, from);
const ack: AspEvent = { type: "ack" };
const text = (value: string): AspEvent => ({ type: "text", text: value });
const thinking = (value: string): AspEvent => ({ type: "thinking", text: value });
const tool = (id: string): AspEvent => ({ type: "tool", tool_use_id: id, name: "look", input: { at: id } });
const result = (id: string, content: string): AspEvent => ({ type: "tool_result", tool_use_id: id, content });
const stop = (stop_reason: string): AspEvent => ({ type: "message_stop", stop_reason });
const shape = ({ messages }: AspView) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.map((part) =>
      part.type === "tool"
        ? `${part.callId} ${part.phase} ${part.result ?? ""}`
        : `${part.type}: ${"text" in part ? part.text : ""}`,
    ),
  ]);

describe("X3 the reducer of ASP v2", () => {
  it("keeps text, thinking and calls in the order of their arrival, and results with their calls", () => {
    const view = fold([
      ack,
      thinking("Hm"),
      thinking("."),
      text("A mo"),
      text("ment."),
      tool("t1"),
      tool("t2"),
      { type: "tool_result", tool_use_id: "t2", content: "no", is_error: true },
      result("t1", "found"),
      text("Done."),
      stop("end_turn"),
    ]);
    const parts = ["thinking: Hm.", "text: A moment.", "t1 done found", "t2 error no", "text: Done."];
    expect(shape(view)).toEqual([["assistant", ...parts]]);
    expect(view).toMatchObject({ turn: "ended", stopReason: "end_turn" });
    expect(view.messages[0]?.text).toBe("A moment.\n\nDone.");
    expect(view.messages[0]?.parts.some((part) => "open" in part && part.open)).toBe(false);
    const keys = view.messages[0]?.parts.map(({ key }) => key);
    expect(new Set(keys).size).toBe(5);
  });

  it("shows what is being written, and changes only the last message", () => {
    const first = fold([ack, text("One."), stop("end_turn")]);
    const view = fold([ack, thinking("H"), thinking("m")], first);
    expect(view.messages[1]?.parts).toMatchObject([{ type: "thinking", text: "Hm", open: true }]);
    expect(view.messages[0]).toBe(first.messages[0]);
    expect(fold([text("Yes")], view).messages[1]?.parts[0]).toMatchObject({ open: false });
    expect(shape(first)).toEqual([["assistant", "text: One."]]);
  });

  it("ignores events after the end, and unknown ones", () => {
    const view = fold([ack, text("One."), stop("end_turn")]);
    for (const event of [
      text("More"),
      tool("t"),
      stop("max_tokens"),
      { type: "error", message: "x" } as const,
    ])
      expect(reduceAsp(view, event)).toBe(view);
    expect(reduceAsp(view, { type: "weather" } as unknown as AspEvent)).toBe(view);
    const paused = fold([ack, tool("t"), stop("tool_use")]);
    for (const event of [text("More"), result("t", "x"), stop("end_turn")])
      expect(reduceAsp(paused, event)).toBe(paused);
    const open = fold([ack, text("One")]);
    expect(reduceAsp(open, { type: "weather" } as unknown as AspEvent)).toBe(open);
    expect(reduceAsp(open, result("nobody", "x"))).toBe(open);
  });

  it("begins a new turn with each ack, but continues the message of calls that waited", () => {
    const two = fold([ack, text("One."), ack, text("Two."), stop("end_turn"), ack, text("Three.")]);
    expect(shape(two)).toEqual([
      ["assistant", "text: One."],
      ["assistant", "text: Two."],
      ["assistant", "text: Three."],
    ]);
    const waiting = fold([ack, text("Well?"), tool("t"), stop("tool_use")]);
    expect(waiting).toMatchObject({ turn: "paused", stopReason: "tool_use" });
    expect(shape(waiting)).toEqual([["assistant", "text: Well?", "t waiting "]]);
    const answered = fold([ack, result("t", "yes"), text("Good."), stop("end_turn")], waiting);
    expect(shape(answered)).toEqual([["assistant", "text: Well?", "t done yes", "text: Good."]]);
  });

  it("shows an error as a notice, and leaves no call running", () => {
    const view = fold([ack, tool("t"), { type: "error", message: "The coach failed." }]);
    expect(shape(view)).toEqual([["assistant", "t error ", "notice: The coach failed."]]);
    expect(view).toMatchObject({ turn: "ended", stopReason: "error" });
    expect(shape(fold([ack, tool("t"), stop("aborted")]))).toEqual([["assistant", "t error "]]);
  });

  it("works without an ack, and takes a repeated call once", () => {
    expect(shape(fold([thinking("Hm"), tool("t"), tool("t")]))).toEqual([
      ["assistant", "thinking: Hm", "t running "],
    ]);
  });
});

it("X3 parseAspEvent() takes every event of ASP v2 and nothing else", () => {
  const events = [
    ack,
    text(""),
    thinking("x"),
    tool("t"),
    { type: "tool", tool_use_id: "t", name: "x", input: null },
    result("t", "x"),
    stop("end_turn"),
    { type: "error", message: "x" },
  ];
  for (const event of events) expect(parseAspEvent(JSON.stringify(event))).toEqual(event);
  const others = [
    "[DONE]",
    "null",
    "3",
    '"ack"',
    "[]",
    "{}",
    '{"type":"toString"}',
    '{"type":"__proto__"}',
    '{"type":["ack"]}',
    '{"type":"text"}',
    '{"type":"text","text":1}',
    '{"type":"tool","tool_use_id":"t","name":"x"}',
    '{"type":"tool_result","tool_use_id":"t"}',
    '{"type":"message_stop"}',
    '{"type":"error","message":{}}',
  ];
  for (const data of others) expect(parseAspEvent(data)).toBeUndefined();
});

it("R4 the reducer of ASP v2 does not join the text of a message for each of its pieces, but when it is read", () => {
  const before = fold([ack, text("Hello"), thinking("Hm")]);
  const joined = vi.spyOn(Array.prototype, "join");
  onTestFinished(() => joined.mockRestore());
  let view = before;
  for (let at = 0; at < 1_000; at += 1) view = reduceAsp(view, text("ab"));
  const joins = joined.mock.calls.length;
  joined.mockRestore();
  expect(joins).toBeLessThan(10);
  expect(view.messages[0]?.text).toBe(`Hello\n\n${"ab".repeat(1_000)}`);
  expect(view.messages[0]?.parts[0]).toEqual({ ...before.messages[0]?.parts[0], open: false });
  expect(before.messages[0]?.text).toBe("Hello");
  expect(JSON.parse(JSON.stringify(view)).messages[0].text).toBe(view.messages[0]?.text);
});
