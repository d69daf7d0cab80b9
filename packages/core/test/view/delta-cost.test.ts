import { expect, it, onTestFinished, vi } from "vitest";
import { newView, reduceView, type ViewState } from "../../src/view.ts";

const textDelta = (view: ViewState, index: number, offset: number, text: string): ViewState =>
  reduceView(view, { type: "text_delta", data: { attempt: 1, index, offset, text } });

it("R4 a delta does not join the text of its message: it is joined when it is read", () => {
  const first = textDelta(newView(), 0, 0, " Hello");
  const trimmed = vi.spyOn(String.prototype, "trim");
  onTestFinished(() => trimmed.mockRestore());
  let view = first;
  for (let at = 0; at < 1_000; at += 1) view = textDelta(view, 1, at * 2, "ab");
  const trims = trimmed.mock.calls.length;
  trimmed.mockRestore();
  expect(trims).toBeLessThan(10);
  expect(view.messages[0]?.text).toBe(`Hello${"ab".repeat(1_000)}`);
  // The old states stay as they were, and share what has not changed.
  expect(first.messages[0]?.text).toBe("Hello");
  expect(view.messages[0]?.parts[0]).toBe(first.messages[0]?.parts[0]);
  expect(JSON.parse(JSON.stringify(view))).toEqual({ ...view });
  expect(structuredClone(view.messages)).toEqual(view.messages);
});
