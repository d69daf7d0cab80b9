import { withinDeadline, withTimeLimit } from "../../base/deadline.ts";
import { hideTextsOf } from "../../base/hide-texts.ts";
import type { Leg } from "../../leg/leg.ts";
import type { HeldCredentials, Host } from "./host.ts";

/**
 * How long to wait for a request's credentials if its event is already in the log, in milliseconds. Its
 * append is about to return.
 */
const PATIENCE_MS = 1_000;

/**
 * Holds the credentials of a session while this process has its lease. `first` are those of the request that
 * opened the session.
 */
export function holdCredentials(
  { clock, held: all }: Host,
  sessionId: string,
  first: unknown,
): HeldCredentials {
  const hides: Leg["hide"][] = [];
  const bySeq = new Map<number, unknown>();
  const pending = new Set<Promise<void>>();
  const hideToo = (credentials: unknown) => {
    if (credentials !== undefined) hides.push(hideTextsOf(credentials));
  };
  hideToo(first);
  const held: HeldCredentials = {
    hide: (value) => hides.reduce((shown, hide) => hide(shown), value),
    take: (credentials, stored) => {
      if (credentials === undefined) return;
      hideToo(credentials);
      const work = stored.then(
        (seq) => {
          if (seq !== undefined) bySeq.set(seq, credentials);
        },
        () => undefined,
      );
      pending.add(work);
      void work.then(() => pending.delete(work));
    },
    of: async (seq) => {
      if (!bySeq.has(seq) && pending.size > 0)
        await withTimeLimit(clock, PATIENCE_MS, (signal) =>
          withinDeadline({ clock, signal }, Promise.all(pending)),
        ).catch(() => undefined);
      return bySeq.get(seq);
    },
    isEmpty: () => hides.length === 0,
    close: () => {
      // The next lease of this process may have begun.
      if (all.get(sessionId) === held) all.delete(sessionId);
    },
  };
  all.set(sessionId, held);
  return held;
}

/**
 * Stores the events of a request. If this process has a leg of the session, the leg gets the request's
 * credentials. It hides them at once, and uses them once the events are stored.
 *
 * @param seqOf returns the `seq` of the request's first answer, or of its message
 */
export async function storeWith<T>(
  { held }: Host,
  sessionId: string,
  credentials: unknown,
  store: () => Promise<T>,
  seqOf: (stored: T) => number | undefined,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const before = held.get(sessionId);
  before?.take(credentials, promise);
  try {
    const stored = await store();
    resolve(seqOf(stored));
    const now = held.get(sessionId);
    if (now !== before) now?.take(credentials, promise);
    return stored;
  } finally {
    resolve(undefined);
  }
}
