import type { EventStore, OptionKinds } from "@pawl/core";

/** The store that is wrapped, for `checkOptions`. */
export const STORE: OptionKinds<{ store: EventStore }> = {
  store: {
    mustBe: "an EventStore, e.g. memoryStore()",
    is: (store) => typeof Object(store).append === "function",
    required: true,
  },
};
