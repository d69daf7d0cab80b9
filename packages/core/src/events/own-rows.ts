import { PawlError } from "../errors.ts";
import type { NewEvent, StoredEvent } from "./event.ts";

/**
 * Returns the rows that a store gave for an append, if they are the append's own: as many as were sent, with the same
 * types and keys. Otherwise the append id belongs to other events, and nothing of this append was stored.
 *
 * @throws PawlError `fenced`
 */
export function ownRows(
  sessionId: string,
  events: readonly NewEvent[],
  rows: readonly StoredEvent[],
): readonly StoredEvent[] {
  const own =
    rows.length === events.length &&
    rows.every(({ type, key }, at) => type === events[at]?.type && key === events[at]?.key);
  if (own) return rows;
  throw new PawlError("fenced", `An append to session "${sessionId}" has the append id of other events.`);
}
