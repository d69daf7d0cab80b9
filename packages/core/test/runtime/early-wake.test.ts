import { testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { without } from "../../../../test/support/each-way.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type EventStore, memoryStore } from "../../src/index.ts";
import { setup, stored, user } from "../support/setup.ts";
import { asking, clean, script } from "../support/waits.ts";

const tools = [clean(asking)];

/** A session whose question expires in a minute, and a store whose next call of `method` gets an answer first. */
async function waiting(method: "release" | "read", as = (store: EventStore) => store) {
  const clock = testClock();
  const store = as(memoryStore({ now: clock.now }));
  const first = setup(script.slice(0, 1), { tools }, { store, testing: { clock } });
  const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(first, sessionId, "run_suspended");
  await first.pawl.drain();
  const web = setup([], { tools }, { store, testing: { clock } });
  let isDone = false;
  const answerFirst = async () => {
    if (isDone) return;
    isDone = true;
    const answers = [{ callId: "c1", value: { ok: true } }];
    await web.pawl.run("tester", { ...user, sessionId, answers }).started;
  };
  const late: EventStore = {
    ...store,
    ...(method === "release" && {
      release: async (lease) => {
        await answerFirst();
        await store.release(lease);
      },
    }),
    ...(method === "read" && {
      async *read(id, options) {
        await answerFirst();
        yield* store.read(id, options);
      },
    }),
  };
  return {
    clock,
    sessionId,
    web,
    worker: setup(script.slice(1), { tools }, { store: late, testing: { clock } }),
  };
}

it("F26 Q2 an answer that comes while a leg that was woken too early gives its lease back is not lost", async () => {
  const { sessionId, worker, web } = await waiting("release");
  expect(await worker.pawl.recover(sessionId)).toEqual({ outcome: "ended" });
  assertSoundLog(await worker.log(sessionId));
  expect(await worker.of(sessionId, "tool_answered")).toMatchObject([{ data: { value: { ok: true } } }]);
  await web.pawl.drain();
});

it("F26 Q2 an answer that comes between the row and the log of a leg that was woken too early is not lost", async () => {
  // `open` returns both together. What is stored after it, the leg finds when it gives its lease back.
  const { sessionId, worker, web } = await waiting("read", (store) =>
    without(
      store,
      "open",
      "F26 Q2 an answer that comes while a leg that was woken too early gives its lease back is not lost",
    ),
  );
  expect(await worker.pawl.recover(sessionId)).toEqual({ outcome: "ended" });
  assertSoundLog(await worker.log(sessionId));
  await web.pawl.drain();
});
