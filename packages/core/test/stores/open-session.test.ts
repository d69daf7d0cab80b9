import { eventStoreContract } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { eachWay, without } from "../../../../test/support/each-way.ts";
import { memoryStore } from "../../src/index.ts";
import type { SessionToOpen } from "../../src/store.ts";
import { openSession } from "../../src/stores/open-session.ts";

/** Its row is read before its events, so these may be newer. */
const IN_ONE_CALL = "leaves nothing out of a log";

describe.each(eachWay("open"))("opening the sessions of a store %s", (_way, as) => {
  const opened = async () => {
    const whole = as(memoryStore());
    // Without `open`, no snapshot is asked for.
    const twin = "R5 has the same requests and the same log: %s";
    const store = whole.open === undefined ? without(whole, "saveSnapshot", twin) : whole;
    const open = async (wanted: SessionToOpen) => await openSession(store, wanted);
    return { store: { ...store, open } };
  };
  const checks = eventStoreContract(opened).filter(
    ({ name }) => /\bopen(s|ed|ing)?\b/.test(name) && !name.includes(IN_ONE_CALL),
  );
  for (const { name, run } of checks) it(name, run);

  it("E2 is checked for all of these", () => {
    expect(checks.length).toBeGreaterThanOrEqual(11);
  });
});
