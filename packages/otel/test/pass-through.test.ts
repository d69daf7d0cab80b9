import { type EventStore, memoryStore } from "@pawl/core";
import { eventStoreContract } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { withMetrics, withSpans } from "../src/index.ts";

describe.each([["withSpans()", withSpans] as const, ["withMetrics()", withMetrics] as const])(
  "%s",
  (_, wrap) => {
    it("O3 R5 keeps the methods that a store may lack", () => {
      const store: EventStore = { ...memoryStore(), appendWith: memoryStore().append };
      expect(Object.keys(wrap(store)).sort()).toEqual(Object.keys(store).sort());
      const { open, saveSnapshot, watch, appendWith, ...least } = store;
      expect(Object.keys(wrap(least)).sort()).toEqual(Object.keys(least).sort());
    });
  },
);

describe("a store with metrics", () => {
  for (const { name, run } of eventStoreContract(async () => ({ store: withMetrics(memoryStore()) })))
    it(name, run);
});
