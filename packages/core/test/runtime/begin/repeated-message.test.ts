import { expect, it } from "vitest";
import { type EventStore, memoryStore } from "../../../src/index.ts";
import { setup, user } from "../../support/setup.ts";

/** A store that notes the names of its calls. */
function noting(store: EventStore, calls: string[]): EventStore {
  return new Proxy(store, {
    get: (target, name: keyof EventStore) => {
      const method: unknown = target[name];
      if (typeof method !== "function") return method;
      return (...given: unknown[]) => {
        calls.push(name);
        return method.apply(target, given);
      };
    },
  });
}

it("R2 E2 a message that is sent again is answered with its run after five calls of the store", async () => {
  const calls: string[] = [];
  const world = setup([{ text: "One." }], {}, { store: noting(memoryStore(), calls) });
  const message = { ...user, input: "Go", clientMessageId: "m" };
  const { sessionId, runId } = await world.pawl.run("tester", message).result;
  calls.length = 0;
  const again = world.pawl.run("tester", { ...message, sessionId });
  expect(await again.started).toMatchObject({ runId });
  expect(calls).toEqual(["open", "append", "read", "release", "read"]);
});
