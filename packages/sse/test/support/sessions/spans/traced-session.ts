import type { EventStore } from "@pawl/core";
import { type Made, makeSession } from "../made.ts";
import type { Plan } from "../plan.ts";
import { Recorded } from "./recorded.ts";

/** A session that was had over a store which makes spans. */
export interface Traced extends Made {
  store: EventStore;
  recorded: Recorded;
}

/** Has the session of a plan, and records its spans. */
export async function tracedSession(plan: Plan): Promise<Traced> {
  const recorded = new Recorded();
  let store: EventStore | undefined;
  const made = await makeSession(plan, (under) => {
    store = recorded.over(under);
    return store;
  });
  return { ...made, recorded, store: store as EventStore };
}
