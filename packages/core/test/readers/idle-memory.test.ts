import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { type EventStore, memoryStore, type SessionEvent, type StoredEvent } from "../../src/index.ts";
import { localTail } from "../../src/store.ts";
import { settled } from "../support/settled.ts";
import { setup, user } from "../support/setup.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A store whose reads return objects of their own, as those of a database do. `alive` counts them. */
function copying() {
  const inner = memoryStore();
  const read: WeakRef<StoredEvent>[] = [];
  const store: EventStore = {
    ...inner,
    async *read(sessionId, options) {
      for await (const event of inner.read(sessionId, options)) {
        const copy = structuredClone(event);
        read.push(new WeakRef(copy));
        yield copy;
      }
    },
  };
  const alive = async () => {
    await pause(10);
    collect();
    return read.filter((one) => one.deref() !== undefined).length;
  };
  return { store, read, alive };
}

it("R4 an idle reader keeps no event that it has read", async () => {
  const { store, read, alive } = copying();
  const { pawl, say } = setup([{ text: "Hello." }], {}, { store });
  const { sessionId } = await say("Hi");
  const reader = pawl.follow(sessionId)[Symbol.asyncIterator]();
  await readToEnd(reader);
  const waiting = reader.next();
  await settled();
  expect(read.length).toBeGreaterThan(5);
  expect(await alive()).toBe(0);
  await pawl.drain();
  await expect(waiting).rejects.toMatchObject({ code: "draining" });
});

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
  await pause(1_200);
  expect(tail.peek(sessionId).recent).toEqual([]);
  const second = pawl.run("tester", { ...user, sessionId, input: "And now?" });
  await second.result;
  const { recent } = tail.peek(sessionId);
  expect([recent[0]?.type, recent.at(-1)?.type]).toEqual(["run_started", "run_ended"]);
  leave();
});
