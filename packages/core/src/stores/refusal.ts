import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/store/event-store.ts";
import { ownRows } from "../log/store/own-rows.ts";

/**
 * The state of a session's log after an append was refused, for {@link explainRefusal} to find the reason.
 */
export interface Refused {
  /** `seq` of the session's last event; 0 if it has none. */
  lastSeq: number;
  /** Holder of the session's lease; `null` if the lease was released or never acquired. */
  leaseHolder: string | null;
  /** Epoch of the last lease that was acquired; 0 before the first one. */
  leaseEpoch: number;
  /** The events that were stored under the same append id, in order; none if the id is new. */
  before: readonly StoredEvent[];
  /** The stored event that already has a key of this append. If there are several, that of the first key. */
  taken: StoredEvent | undefined;
}

/**
 * Returns the error for an unknown session.
 *
 * @example
 * ```ts
 * import { noSession } from "@pawl/core/store";
 *
 * console.log(noSession("s1").message); // No session "s1".
 * ```
 */
export function noSession(id: string): PawlError {
  return new PawlError("not_found", `No session "${id}".`);
}

/**
 * Finds the reason why an append was refused, in the order of {@link EventStore.append}. Returns the stored
 * events if the append id is repeated, throws for any other reason, and returns `undefined` if there is no
 * reason.
 *
 * @throws PawlError `fenced`, `conflict` or `key_taken`, in this order
 *
 * @example
 * ```ts
 * import { explainRefusal } from "@pawl/core/store";
 *
 * const found = { lastSeq: 7, leaseHolder: null, leaseEpoch: 0, before: [], taken: undefined };
 * const events = [{ type: "note", data: { text: "hello" } }] as const;
 * try {
 *   explainRefusal("s1", events, found, { appendId: "a1", afterSeq: 6 });
 * } catch (error) {
 *   console.log(error); // PawlError: The last event of session "s1" is 7, not 6.
 * }
 * ```
 */
// It is safe to read the log after the refusal, because the reason stays: append ids and keys are not
// removed, and epochs and `seq` only rise.
export function explainRefusal(
  sessionId: string,
  events: readonly NewEvent[],
  { lastSeq, leaseHolder, leaseEpoch, before, taken }: Refused,
  { lease, afterSeq }: AppendOptions,
): readonly StoredEvent[] | undefined {
  if (before.length > 0) return ownRows(sessionId, events, before);
  const isCurrent = lease?.holder === leaseHolder && lease.epoch === leaseEpoch;
  if (lease !== undefined && (lease.sessionId !== sessionId || !isCurrent))
    throw new PawlError("fenced", `"${lease.holder}" no longer has the lease of session "${sessionId}".`);
  if (afterSeq !== undefined && afterSeq !== lastSeq) {
    const message = `The last event of session "${sessionId}" is ${lastSeq}, not ${afterSeq}.`;
    throw new PawlError("conflict", message, { details: { lastSeq } });
  }
  if (taken === undefined) return undefined;
  const message = `Session "${sessionId}" already has an event with the key "${taken.key}".`;
  throw new PawlError("key_taken", message, { details: { key: taken.key, event: taken } });
}
