import { expect, test } from "vitest";
import { pause } from "../../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type EventStore, memoryStore } from "../../../src/index.ts";
import { never, setup, stored, user } from "../../support/setup.ts";

const failing = () => {
  throw new Error("no log");
};

test.each([
  ["returns a number", () => 3, []],
  ["returns a text", () => "an-event-id", []],
  ["throws", failing, ["pawl: onError failed: no log"]],
  ["returns a promise that rejects", async () => failing(), ["pawl: onError failed: no log"]],
])("F25 a reader whose look fails waits before its next one if `onError` %s", async (_, answer, printed) => {
  expectPrinted(...printed);
  const store = memoryStore();
  const stalled = {
    id: "stalled",
    stream: async function* () {
      yield await never();
    },
  };
  const old = setup([{ text: "x" }], {}, { store }, () => stalled as never);
  const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(old, sessionId, "llm_request");
  let isDown = false;
  let calls = 0;
  const get: EventStore["sessions"]["get"] = async (id) => {
    if (!isDown) return await store.sessions.get(id);
    calls += 1;
    throw new Error("a lost row");
  };
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  const onError = (() => {
    resolve();
    return answer();
  }) as () => void;
  const next = setup([], {}, { store: { ...store, sessions: { ...store.sessions, get } }, onError });
  const reader = new AbortController();
  const events = next.pawl.follow(sessionId, { resume: true, signal: reader.signal });
  isDown = true;
  void events[Symbol.asyncIterator]()
    .next()
    .catch(() => undefined);
  await reported;
  const before = calls;
  await pause(50, "a reader without a pause would look many times");
  expect(calls - before).toBe(0);
  reader.abort();
  // Otherwise a later look, or the lease of the stalled run, would report in the time of another test.
  isDown = false;
  await Promise.all([next.pawl.drain({ timeoutMs: 0 }), old.pawl.drain({ timeoutMs: 0 })]);
});
