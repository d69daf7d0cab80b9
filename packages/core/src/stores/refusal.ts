import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/event-store.ts";
import { ownRows } from "../log/own-rows.ts";

/** What the log contained when an append was refused. The reason is derived from it. */
export interface Refused {
  lastSeq: number;
  leaseHolder: string | null;
  leaseEpoch: number;
  /** The events that were stored under the same append id. */
  before: readonly StoredEvent[];
  /** The event that holds the first of the keys that are taken. */
  taken: StoredEvent | undefined;
}

/** Returns the error for an unknown session. */
export function noSession(id: string): PawlError {
  return new PawlError("not_found", `No session "${id}".`);
}

/**
 * Explains why nothing was stored: returns the rows that were stored before under this append id, or throws.
 * Returns `undefined` if there is no reason any more.
 *
 * @throws PawlError `fenced`, `conflict` or `key_taken`, in this order
 */
// Looking up the reason afterwards is sound: append ids and keys stay, and epochs and `seq` only rise.
export function explainRefusal(
  sessionId: string,
  events: readonly NewEvent[],
  { lastSeq, leaseHolder, leaseEpoch, before, taken }: Refused,
  { lease, afterSeq }: AppendOptions,
): readonly StoredEvent[] | undefined {
  if (before.length > 0) return ownRows(sessionId, events, before);
  if (
    lease !== undefined &&
    (lease.sessionId !== sessionId || lease.holder !== leaseHolder || lease.epoch !== leaseEpoch)
  )
    throw new PawlError("fenced", `"${lease.holder}" no longer has the lease of session "${sessionId}".`);
  if (afterSeq !== undefined && afterSeq !== lastSeq)
    throw new PawlError(
      "conflict",
      `The last event of session "${sessionId}" is ${lastSeq}, not ${afterSeq}.`,
      {
        details: { lastSeq },
      },
    );
  if (taken === undefined) return undefined;
  throw new PawlError(
    "key_taken",
    `Session "${sessionId}" already has an event with the key "${taken.key}".`,
    {
      details: { key: taken.key, event: taken },
    },
  );
}
