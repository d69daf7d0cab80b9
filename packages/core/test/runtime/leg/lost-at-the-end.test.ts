import { expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { never, setup, until } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";

/** A store whose session another process takes over right before the first append of an event of a type. */
function takenBefore(type: string) {
  let now = Date.now();
  const inner = memoryStore({ now: () => now });
  let isTaken = false;
  const store = beforeAppend(inner, async (events, sessionId) => {
    if (isTaken || !has(events, type)) return;
    now += 60_000;
    const lease = await inner.acquire(sessionId, "another", 60_000);
    if (lease !== undefined) await inner.release(lease);
    isTaken = true;
  });
  return { store, inner, isTaken: () => isTaken };
}

it("L3 P4 a request waits for the process that has taken over its session while it ended a stopped run", async () => {
  const { store, inner, isTaken } = takenBefore("run_ended");
  const control = new AbortController();
  const { pawl, of } = setup([], {}, { store, deps: never });
  const run = pawl.run("tester", { userId: "u1", input: "Go", signal: control.signal });
  const { sessionId } = await run.started;
  control.abort();
  await until(isTaken);
  const other = setup([], {}, { store: inner });
  await other.pawl.stop(sessionId, { userId: "u1" });
  await until(async () => (await of(sessionId, "run_ended")).length === 1);
  expect((await run.result).stop.type).toBe("aborted");
});

it("L3 P4 and while it ended a run because of an error", async () => {
  const { store, inner, isTaken } = takenBefore("error");
  const deps = () => {
    throw new Error("no deps");
  };
  const { pawl, of } = setup([], {}, { store, deps, onError: () => undefined });
  const run = pawl.run("tester", { userId: "u1", input: "Go" });
  const { sessionId } = await run.started;
  await until(isTaken);
  const other = setup([], {}, { store: inner });
  await other.pawl.stop(sessionId, { userId: "u1" });
  await until(async () => (await of(sessionId, "run_ended")).length === 1);
  expect((await run.result).stop.type).toBe("aborted");
});
