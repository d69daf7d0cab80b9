import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "./event.ts";

/**
 * Checks that the rows which a store found under a repeated append id are those of this append, and returns
 * them. They are if there are as many as were sent, with the same types and keys. Otherwise the append id
 * belongs to other events, and nothing of this append was stored.
 *
 * @throws PawlError `fenced`
 */
export function ownRows(
  sessionId: string,
  events: readonly NewEvent[],
  rows: readonly StoredEvent[],
): readonly StoredEvent[] {
  // A plain loop: this runs for every append.
  let same = rows.length === events.length;
  for (let at = 0; same && at < rows.length; at += 1)
    same = rows[at]?.type === events[at]?.type && rows[at]?.key === events[at]?.key;
  if (same) return rows;
  throw new PawlError(
    "fenced",
    `The append id was used for other events of session "${sessionId}". Use a new id for every append.`,
  );
}
