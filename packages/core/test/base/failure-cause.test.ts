import { expect, it } from "vitest";
import { failureCause } from "../../src/model.ts";
import { TimeUp } from "../../src/tools.ts";

const abortedWith = (reason: unknown): AbortSignal => AbortSignal.abort(reason);

it.each<[string, AbortSignal | undefined, string]>([
  ["without a signal", undefined, "failed"],
  ["before its signal aborts", new AbortController().signal, "failed"],
  ["after a stop", AbortSignal.abort(), "aborted"],
  ["after an abort with any reason", abortedWith({ name: null }), "aborted"],
  ["after an abort without a reason", abortedWith(null), "aborted"],
  ["after a time limit of Pawl", abortedWith(new TimeUp(5)), "time_up"],
  ["after a time limit of the platform", abortedWith(new DOMException("", "TimeoutError")), "time_up"],
])("B8 a call that fails %s has failed, was aborted, or had no more time", (_, signal, cause) => {
  expect(failureCause(signal)).toBe(cause);
});
