import { expect, it } from "vitest";
import { changedEvents } from "../../../../../test/support/changed-events.ts";
import { ofType } from "../../../../../test/support/invariants.ts";
import { memoryStore, type StoredEvent } from "../../../src/index.ts";
import { EVENT_VERSION } from "../../../src/log/event.ts";
import { setup, stored } from "../../support/setup.ts";
import { endless } from "../../support/when-busy.ts";

const newer = (event: StoredEvent): StoredEvent => ({ ...event, v: EVENT_VERSION + 1 });

it("E10 a stop in an older process is stored for the newer ones, once, and does not reject", async () => {
  const store = memoryStore();
  const first = setup([endless], {}, { store });
  const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Hello" }).started;
  await stored(first, sessionId, "llm_request");
  await first.pawl.drain({ timeoutMs: 0 });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const old = setup([], {}, { store: changedEvents(store, newer), onError });
  await old.pawl.stop(sessionId, { userId: "u1" });
  await old.pawl.stop(sessionId, { userId: "u1" });
  const log = await Array.fromAsync(store.read(sessionId));
  expect(ofType(log, "stop_requested")).toHaveLength(1);
  expect(errors).toEqual([]);
});
