import type { EventStore, StoredEvent } from "../../src/index.ts";

/** Reads a session's whole log out of the store. */
export const all = async (store: Pick<EventStore, "read">, sessionId: string): Promise<StoredEvent[]> =>
  await Array.fromAsync(store.read(sessionId));
