import { eventStoreContract } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import type { SessionToOpen } from "../../src/store.ts";
import { openSession } from "../../src/stores/open-session.ts";

/** A store in memory whose sessions are opened by its other methods. */
async function withoutOpen() {
  const store = { ...memoryStore(), open: undefined, saveSnapshot: undefined };
  const open = async (wanted: SessionToOpen) => await openSession(store, wanted);
  return { store: { ...store, open } };
}

/** Its row is read before its events, so these may be newer. */
const IN_ONE_CALL = "leaves nothing out of a log";

describe("a store without `open`", () => {
  const checks = eventStoreContract(withoutOpen).filter(
    ({ name }) => /\bopen(s|ed|ing)?\b/.test(name) && !name.includes(IN_ONE_CALL),
  );
  for (const { name, run } of checks) it(name, run);

  it("E2 is checked for all of these", () => {
    expect(checks.length).toBeGreaterThanOrEqual(11);
  });
});
