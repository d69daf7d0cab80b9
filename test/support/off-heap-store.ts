import { type EventStore, memoryStore, type StoredEvent } from "@pawl/core";
import { watchedStore } from "@pawl/core/store";

/**
 * A store whose rows are outside of the JavaScript heap, as those of a database are. Each session has one
 * buffer with its events as JSON, one a line. Only for measurements: an append has no conditions but keys.
 */
export function offHeapStore(): EventStore {
  const sessions = memoryStore();
  const logs = new Map<string, Buffer>();
  const eventsOf = (id: string): StoredEvent[] =>
    (logs.get(id)?.toString() ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as StoredEvent);
  // twin: R4 an idle reader keeps no event that it has read, from the log or from a run, %s
  return watchedStore({
    acquire: sessions.acquire,
    renew: sessions.renew,
    release: sessions.release,
    listRecoverable: sessions.listRecoverable,
    sessions: sessions.sessions,
    async append(id, events, { release, lease }) {
      const before = eventsOf(id);
      const at = new Date().toISOString();
      const rows = events.map((event, index) => {
        const seq = before.length + index + 1;
        return { ...event, sessionId: id, seq, v: 1, at } as StoredEvent;
      });
      const lines = [...before, ...rows].map((row) => `${JSON.stringify(row)}\n`);
      logs.set(id, outside(lines.join("")));
      if (release && lease !== undefined) await sessions.release(lease);
      // What a driver returns was parsed, and shares nothing with the caller's objects.
      return rows.map((row) => JSON.parse(JSON.stringify(row)) as StoredEvent);
    },
    async *read(id, { afterSeq = 0, types, limit = Number.POSITIVE_INFINITY } = {}) {
      let left = limit;
      for (const event of eventsOf(id)) {
        if (event.seq <= afterSeq || left <= 0) continue;
        if (types !== undefined && !types.some((one) => one === event.type)) continue;
        left -= 1;
        yield event;
      }
    },
  });
}

function outside(text: string): Buffer {
  // Not from the pool of small buffers, which would keep others alive.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
