import { turnOfLoop } from "../base/next-turn.ts";
import type { ReadOptions, StoredEvent } from "../log/event.ts";

/**
 * How many events the first page has at most. It is small, because most readers need few events. A read with
 * a `limit` starts with a larger page, because it says how many events it needs.
 */
const FIRST_PAGE = 250;

/** How many events later pages have at most, so that a long log is never in memory as a whole. */
const LATER_PAGE = 1_000;

/** Reads at most `limit` events after `afterSeq`, in order. Returns fewer only at the end of the log. */
export type EventPage = (afterSeq: number, limit: number) => Promise<readonly StoredEvent[]>;

/**
 * Implements {@link EventStore.read} for stores that return events page by page. Includes events that are
 * appended during the read. Between two pages, other work of the process continues.
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
  return { [Symbol.asyncIterator]: () => pageReader(page, afterSeq, limit) };
}

/** Returns an iterator of events that reads a page whenever it has returned all events of the last one. */
function pageReader(page: EventPage, afterSeq: number, limit: number): AsyncIterator<StoredEvent> {
  let lastSeq = afterSeq;
  let eventsLeft = limit;
  let size = Number.isFinite(limit) ? LATER_PAGE : FIRST_PAGE;
  let events: readonly StoredEvent[] = [];
  let index = 0;
  const nextPage = async () => {
    // A database in this process answers at once. Other work must not wait until a long log is read.
    if (lastSeq > afterSeq) await turnOfLoop();
    const pageLimit = Math.min(size, eventsLeft);
    events = pageLimit > 0 ? await page(lastSeq, pageLimit) : [];
    index = 0;
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    // A page that is not full is the end of the log.
    eventsLeft = events.length < pageLimit ? 0 : eventsLeft - events.length;
    size = LATER_PAGE;
  };
  return {
    next: async () => {
      if (index === events.length && eventsLeft > 0) await nextPage();
      const value = events[index];
      if (value === undefined) return { done: true, value: undefined };
      index += 1;
      return { done: false, value };
    },
  };
}
