import type { EventStore } from "@pawl/core";

/**
 * Hides the open runs of other agents from a runtime that shares its log with another runtime. It would
 * report that it lacks their agents.
 */
export function ownRuns<S extends EventStore>(store: S, isOwn: (agent: string) => boolean): S {
  return {
    ...store,
    listRecoverable: async (options) =>
      (await store.listRecoverable(options)).filter(({ agent }) => isOwn(agent)),
  };
}
