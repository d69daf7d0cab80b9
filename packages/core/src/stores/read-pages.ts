import type { ReadOptions, StoredEvent } from "../log/event.ts";

/**
 * The sizes of the first page and of later pages, in events. The first is small, because most readers need
 * few events; one that has a limit gets a large one, because it knows how many it needs. With pages, a long
 * log is never in memory as a whole.
 */
const FIRST_PAGE = 250;

const LAST_PAGE = 1_000;

/** Reads at most `limit` events after `afterSeq`, in order. Returns fewer only at the end of the log. */
export type EventPage = (afterSeq: number, limit: number) => Promise<readonly StoredEvent[]>;

/**
 * Implements {@link EventStore.read} for stores that return events page by page. Includes events that are
 * appended during the read.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { readPages } from "@pawl/core/store";
 *
 * const database = memoryStore();
 * await database.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await database.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 *
 * // In a store, a page is one query.
 * const events = readPages((afterSeq, limit) =>
 *   Array.fromAsync(database.read("s1", { afterSeq, limit })),
 * );
 * for await (const { seq, type } of events) console.log(seq, type); // 1 note
 * ```
 */
// Not a generator function, which takes several microtask turns per event.
export function readPages(
  page: EventPage,
  { afterSeq = 0, limit = Number.POSITIVE_INFINITY }: ReadOptions = {},
): AsyncIterable<StoredEvent> {
  return { [Symbol.asyncIterator]: () => reader(page, afterSeq, limit) };
}

function reader(page: EventPage, afterSeq: number, limit: number): AsyncIterator<StoredEvent> {
  let after = afterSeq;
  let left = limit;
  let size = Number.isFinite(limit) ? LAST_PAGE : FIRST_PAGE;
  let events: readonly StoredEvent[] = [];
  let at = 0;
  const nextPage = async () => {
    const asked = Math.min(size, left);
    events = asked > 0 ? await page(after, asked) : [];
    at = 0;
    after = events.at(-1)?.seq ?? after;
    left = events.length < asked ? 0 : left - events.length;
    size = LAST_PAGE;
  };
  return {
    next: async () => {
      if (at === events.length && left > 0) await nextPage();
      const value = events[at];
      if (value === undefined) return { done: true, value: undefined };
      at += 1;
      return { done: false, value };
    },
  };
}
