import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/event-store.ts";
import { ownRows } from "../log/own-rows.ts";

/** What is in the log when an append was refused; from this follows why. */
export interface Refused {
  lastSeq: number;
  leaseHolder: string | null;
  leaseEpoch: number;
  /** The events that were stored under the same append id. */
  before: readonly StoredEvent[];
  /** The event that holds the first of the keys that are taken. */
  taken: StoredEvent | undefined;
}

/** No such session. */
export function noSession(id: string): PawlError {
  return new PawlError("not_found", `No session "${id}".`);
}

/**
 * Why nothing was stored: returns the rows of the first time, or throws. `undefined` when there is no reason
 * any more. Looking afterwards is sound because reasons do not go away again: append ids and keys stay,
 * epochs and `seq` rise.
 *
 * @throws PawlError `fenced`, `conflict` or `key_taken`, in this order
 */
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
    throw new PawlError("conflict", `Session "${sessionId}" is at ${lastSeq}, not at ${afterSeq}.`, {
      details: { lastSeq },
    });
  if (taken === undefined) return undefined;
  throw new PawlError("key_taken", `Session "${sessionId}" has an event "${taken.key}" already.`, {
    details: { key: taken.key, event: taken },
  });
}
