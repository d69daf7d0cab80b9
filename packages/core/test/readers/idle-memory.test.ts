import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eachWay } from "../../../../test/support/each-way.ts";
import { settled } from "../../../../test/support/settled.ts";
import { type EventStore, memoryStore, type SessionEvent, type StoredEvent } from "../../src/index.ts";
import { localTail } from "../../src/store.ts";
import { setup, user } from "../support/setup.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A store that returns objects of its own, as a database does. `alive` counts those that are still kept. */
function copying() {
  const inner = memoryStore();
  const read: WeakRef<StoredEvent>[] = [];
  const copied = (event: StoredEvent): StoredEvent => {
    const copy = structuredClone(event);
    read.push(new WeakRef(copy));
    return copy;
  };
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      const opened = await inner.open?.(wanted);
      return opened && { ...opened, events: opened.events.map(copied) };
    },
    append: async (...given) => (await inner.append(...given)).map(copied),
    async *read(sessionId, options) {
      for await (const event of inner.read(sessionId, options)) yield copied(event);
    },
  };
  const alive = async () => {
    await settled();
    collect();
    return read.filter((one) => one.deref() !== undefined).length;
  };
  return { store, read, alive };
}

it.each(eachWay("open"))(
  "R4 an idle reader keeps no event that it has read, from the log or from a run, %s",
  async (_, as) => {
    const { store: copies, read, alive } = copying();
    const store = as(copies);
    const { pawl, model, say } = setup([{ text: "Hello." }, { text: "Yes." }], {}, { store });
    const { sessionId } = await say("Hi");
    const reader = pawl.follow(sessionId)[Symbol.asyncIterator]();
    await readToEnd(reader);
    const following = readToEnd(reader);
    await settled();
    expect(read.length).toBeGreaterThan(5);
    expect(await alive()).toBe(0);
    await say("Are you there?", { sessionId });
    await following;
    const waiting = reader.next();
    await vi.advanceTimersByTimeAsync(1_200);
    expect(model.requests).toHaveLength(2);
    expect(await alive()).toBe(0);
    await pawl.drain();
    await expect(waiting).rejects.toMatchObject({ code: "draining" });
  },
);

/** Reads until a run has ended. A function of its own, whose variables are gone when it returns. */
async function readToEnd(reader: AsyncIterator<SessionEvent>): Promise<void> {
  while ((await reader.next()).value?.type !== "run_ended");
}

it("R4 the tail forgets a session's events after its run, and has those of the next run", async () => {
  const tail = localTail();
  const { pawl } = setup([{ text: "One." }, { text: "Two." }], {}, { tail });
  const first = pawl.run("tester", { ...user, input: "Hi" });
  const { sessionId } = await first.started;
  const leave = tail.subscribe(sessionId, () => undefined);
  await first.result;
  await vi.advanceTimersByTimeAsync(1_200);
  expect(tail.peek(sessionId).recent).toEqual([]);
  const second = pawl.run("tester", { ...user, sessionId, input: "And now?" });
  await second.result;
  const { recent } = tail.peek(sessionId);
  expect([recent[0]?.type, recent.at(-1)?.type]).toEqual(["run_started", "run_ended"]);
  leave();
});
