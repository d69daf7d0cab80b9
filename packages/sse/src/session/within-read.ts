import type { Runtime } from "@pawl/core";
import type { WorkPlace } from "@pawl/core/store";

/** A session that is read for a client. */
export interface ReadFor {
  runtime: Runtime;
  userId: string;
  sessionId: string;
  /** Whether only a page is read. */
  isPart?: boolean;
  /** Aborts when the client has disconnected, on platforms that report it. */
  signal: AbortSignal;
}

/**
 * Calls `read` in one of the places in which this process reads sessions for clients. A stream must not keep
 * its place.
 *
 * @throws PawlError `overloaded` if there was none for a while.
 */
export async function withinRead<T>(
  { runtime, userId, sessionId, isPart = false, signal }: ReadFor,
  read: (place: WorkPlace) => Promise<T>,
): Promise<T> {
  const place = await runtime.enterRead({ userId, sessionId, isPart, signal });
  try {
    return await read(place);
  } finally {
    place.leave();
  }
}
