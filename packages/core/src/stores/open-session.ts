import type { StoredEvent } from "../log/event.ts";
import { createOnce } from "../log/store/create-once.ts";
import type { EventStore, OpenedSession, SessionToOpen } from "../log/store/event-store.ts";

/**
 * Opens a session by {@link EventStore.open}, or by the store's other methods if it has no `open`. Returns
 * `undefined` if the session does not exist or belongs to another user.
 */
export async function openSession(
  store: EventStore,
  request: SessionToOpen,
): Promise<OpenedSession | undefined> {
  if (store.open !== undefined) return await store.open(request);
  const { id, userId, agent, create, holder, ttlMs, afterSeq = 0 } = request;
  const session =
    create === undefined
      ? await store.sessions.get(id)
      : await createOnce(store, { id, userId, agent, ...create });
  if (session?.userId !== userId) return undefined;
  const mayRun = session.agent === agent && session.status !== "expired";
  const lease = mayRun ? await store.acquire(id, holder, ttlMs) : undefined;
  if (lease === undefined) return { session, lease, events: [] };
  return await withEvents(
    store,
    { session, lease, events: [] },
    async () => await Array.fromAsync(store.read(id, { afterSeq })),
  );
}

/**
 * Returns the opened session with the events that `load` returns. Releases the lease if `load` fails, because
 * the caller then does not receive the lease.
 */
export async function withEvents(
  store: Pick<EventStore, "release">,
  opened: OpenedSession,
  load: () => Promise<readonly StoredEvent[]>,
): Promise<OpenedSession> {
  try {
    return { ...opened, events: await load() };
  } catch (error) {
    if (opened.lease !== undefined) await store.release(opened.lease).catch(() => undefined);
    throw error;
  }
}
