import { type EventStore, memoryStore } from "@pawl/core";
import { until } from "../../../../test/support/until.ts";

/** A store that counts how often logs are read from their beginning, and how many at the same time. */
export function watchedReads(inner: EventStore = memoryStore()) {
  const count = { whole: 0, atOnce: 0, mostAtOnce: 0 };
  /** While it is closed, no such read ends. With an error, it fails. */
  const gate: { isOpen: boolean; error?: Error } = { isOpen: true };
  const store: EventStore = {
    ...inner,
    read: async function* (sessionId, options = {}) {
      const { afterSeq = 0, types } = options;
      if (types !== undefined || afterSeq > 0) return yield* inner.read(sessionId, options);
      count.whole += 1;
      count.atOnce += 1;
      count.mostAtOnce = Math.max(count.mostAtOnce, count.atOnce);
      try {
        if (!gate.isOpen) await until(() => gate.isOpen);
        if (gate.error) throw gate.error;
        yield* inner.read(sessionId, options);
      } finally {
        count.atOnce -= 1;
      }
    },
  };
  return { store, count, gate };
}
