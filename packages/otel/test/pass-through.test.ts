import { type EventStore, memoryStore } from "@pawl/core";
import { eventStoreContract } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { eachWay } from "../../../test/support/each-way.ts";
import { withMetrics, withSpans } from "../src/index.ts";

describe.each([["withSpans()", withSpans] as const, ["withMetrics()", withMetrics] as const])(
  "%s",
  (_, wrap) => {
    const ways = ["open", "saveSnapshot", "watch", "appendWith"].flatMap(eachWay);
    it.each(ways)("O3 R5 keeps the methods that a store may lack, %s", (_way, as) => {
      const whole: EventStore = { ...memoryStore(), appendWith: memoryStore().append };
      const store = as(whole);
      expect(Object.keys(wrap(store)).sort()).toEqual(Object.keys(store).sort());
    });
  },
);

describe("a store with metrics", () => {
  for (const { name, run } of eventStoreContract(async () => ({ store: withMetrics(memoryStore()) })))
    it(name, run);
});
