import { PawlError } from "../../base/errors.ts";
import type { NewEvent, StoredEvent } from "../event.ts";

/**
 * Returns the rows that a store found under a repeated append id. Checks first that they belong to this
 * append: as many as `events`, with the same types and keys.
 *
 * @throws PawlError `fenced` if the append id was used for other events. In that case, nothing of this append
 * is stored.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { ownRows } from "@pawl/core/store";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * const events = [{ type: "note", data: { text: "hello" } }] as const;
 * const rows = await store.append("s1", events, { appendId: "a1" });
 *
 * console.log(ownRows("s1", events, rows) === rows); // true: a repeated append returns these rows
 * ```
 */
export function ownRows(
  sessionId: string,
  events: readonly NewEvent[],
  rows: readonly StoredEvent[],
): readonly StoredEvent[] {
  // A plain loop, for speed: this runs for every append.
  let same = rows.length === events.length;
  for (let index = 0; same && index < rows.length; index += 1)
    same = rows[index]?.type === events[index]?.type && rows[index]?.key === events[index]?.key;
  if (same) return rows;
  throw new PawlError(
    "fenced",
    `The append id was used for other events of session "${sessionId}". Use a new id for every append.`,
  );
}
