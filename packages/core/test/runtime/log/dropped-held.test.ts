import { expect, it } from "vitest";
import { loadState } from "../../../src/fold/load.ts";
import { memoryStore } from "../../../src/index.ts";
import { DECIDE_AGAIN } from "../../../src/loop/leg/stored-first.ts";
import { openLog } from "../../../src/runtime/log/open-log.ts";
import type { NewEvent } from "../../../src/store.ts";
import { localTail } from "../../../src/store.ts";
import { beforeAppend } from "../../support/stores.ts";

const note = (text: string, key?: string): NewEvent => ({
  type: "note",
  data: { text },
  ...(key && { key }),
});

it("R2 L3 nothing that follows from a refused answer is stored, even if as many events of others came", async () => {
  const inner = memoryStore();
  await inner.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = (await inner.acquire("s", "me", 60_000)) ?? expect.fail();
  let appends = 0;
  const store = beforeAppend(inner, async () => {
    appends += 1;
    // Between the refusal and the next append, as if from another process.
    if (appends === 2) await inner.append("s", [note("of another process")], { appendId: "other" });
  });
  let ids = 0;
  const state = await loadState(store, "s");
  const log = openLog({
    store,
    tail: localTail(),
    state,
    lease,
    newId: () => `${++ids}`,
    onEvent: () => undefined,
  });
  await inner.append("s", [note("first answer", "answer")], { appendId: "first" });
  await log.catchUp();
  const outcome = Promise.withResolvers<unknown>();
  outcome.promise.catch(() => undefined);
  await log.holdFacts([note("second answer", "answer")], { outcome });
  log.beginDecision();
  await expect(log.storeDecision([note("what follows from the second answer")])).rejects.toBe(DECIDE_AGAIN);
  await expect(outcome.promise).rejects.toMatchObject({ code: "key_taken" });
  const texts = (await Array.fromAsync(inner.read("s"))).map(({ data }) => (data as { text: string }).text);
  expect(texts).toEqual(["first answer", "of another process"]);
});

it("R2 L3 the barrier is closed while the log is read again for what was dropped", async () => {
  const inner = memoryStore();
  await inner.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = (await inner.acquire("s", "me", 60_000)) ?? expect.fail();
  const reading = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  const read: typeof inner.read = async function* (...given) {
    if (isSlow) {
      reading.resolve();
      await gate.promise;
    }
    yield* inner.read(...given);
  };
  let ids = 0;
  const store = { ...inner, read };
  const state = await loadState(store, "s");
  const newId = () => `${++ids}`;
  const log = openLog({ store, tail: localTail(), state, lease, newId, onEvent: () => undefined });
  const outcome = Promise.withResolvers<unknown>();
  outcome.promise.catch(() => undefined);
  await log.holdFacts([note("the start of a run")], { outcome, atTip: true });
  log.beginDecision();
  await inner.append("s", [note("of another process")], { appendId: "other" });
  isSlow = true;
  // E.g. because the lease is renewed.
  const catching = log.catchUp();
  await reading.promise;
  const barrier = log.barrier();
  expect(barrier).toBeInstanceOf(Promise);
  gate.resolve();
  await catching;
  await expect(barrier).rejects.toBe(DECIDE_AGAIN);
});
