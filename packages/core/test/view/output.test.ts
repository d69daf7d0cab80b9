import { describe, expect, it, vi } from "vitest";
import type { Json, SessionEvent } from "../../src/index.ts";
import { newView, outputIn, outputPartOf, reduceView, type ViewState } from "../../src/view.ts";

const shown = (view: ViewState): Json | undefined => {
  const part = outputPartOf(view);
  return part && outputIn(part);
};

const delta = (text: string, offset: number, more: object = {}): SessionEvent => ({
  type: "output_delta",
  data: { attempt: 4, index: 0, offset, text, ...more },
});

describe("an output in progress", () => {
  it("F2 grows with each delta, and with a wrapped one", () => {
    const view = [delta('{"value":["a"', 0, { wrapped: true }), delta(',"b', 13, { wrapped: true })];
    expect(shown(view.slice(0, 1).reduce(reduceView, newView()))).toEqual(["a"]);
    expect(shown(view.reduce(reduceView, newView()))).toEqual(["a", "b"]);
    expect(shown(reduceView(newView(), delta("[1,2]", 0, { wrapped: true })))).toBeUndefined();
  });

  it("F2 leaves earlier views as they were, also if they go on in another way", () => {
    const first = reduceView(newView(), delta('{"a":["x"', 0));
    expect(shown(first)).toEqual({ a: ["x"] });
    const second = reduceView(first, delta('","y"', 8));
    expect(shown(second)).toEqual({ a: ["x", "y"] });
    const other = reduceView(first, delta(',"z"', 9));
    expect(shown(other)).toEqual({ a: ["x", "z"] });
    expect(shown(first)).toEqual({ a: ["x"] });
    expect(shown(second)).toEqual({ a: ["x", "y"] });
    expect(JSON.parse(JSON.stringify(second))).toEqual(second);
  });

  it("F2 takes only what is new of a delta that repeats, and nothing of one that is late", () => {
    let view = reduceView(newView(), delta('{"a":"x', 0));
    expect(shown(view)).toEqual({ a: "x" });
    view = reduceView(view, delta('"xyz', 5));
    expect(shown(view)).toEqual({ a: "xyz" });
    expect(reduceView(view, delta("lost", 50))).toBe(view);
    expect(reduceView(view, delta('{"a"', 0))).toBe(view);
  });

  it("F2 is parsed once, however often it is shown", () => {
    const text = JSON.stringify({ a: "words ".repeat(20_000), b: Array.from({ length: 5_000 }, () => 1) });
    const parsed = vi.spyOn(JSON, "parse");
    let view = newView();
    for (let at = 0; at < text.length; at += 30) {
      view = reduceView(view, delta(text.slice(at, at + 30), at));
      shown(view);
    }
    const chars = parsed.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
    parsed.mockRestore();
    expect(shown(view)).toEqual(JSON.parse(text));
    expect(chars).toBeLessThan(text.length * 3);
  });
});
