import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { givingWay } from "../base/next-turn.ts";
import type { ReadOptions, StoredEvent } from "../log/event.ts";
import type { Session } from "../log/session-row.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { addParts, countIn, type PagePart, pageOf, type ViewPage } from "./page-parts.ts";

/** Which messages of a session {@link viewPage} returns. */
export interface PageOptions {
  /**
   * How many messages to return, at least. A page consists of whole runs, so it may have a few more. It has
   * fewer if the session has fewer, or if the runs have more than 10,000 events. It always has at least one
   * whole run.
   */
  last: number;
  /**
   * Returns messages older than an earlier page: pass that page's `before`. Any other `seq` ends the page
   * before that event's run. Default: the session's last messages.
   */
  before?: number | undefined;
  /** Returns an event as the user may see it. Default: the event itself, unless it was redacted. */
  shown?: (event: StoredEvent) => SessionEvent;
}

const OPTIONS: OptionKinds<PageOptions> = { last: "number!", before: "number", shown: "function" };

/**
 * The number of events that are read per message at first. A run stores 3 events per message, or 6 if it
 * calls one tool.
 */
const EVENTS_PER_MESSAGE = 6;

/** Once this many events were read, a page with at least one run is complete, even with too few messages. */
const MOST_EVENTS = 10_000;

/**
 * Reads a page of a session's messages. Reads backwards from the page's end and stops once the page is
 * complete. For older pages, also looks for redactions in all later events. The last messages take one read
 * of the store, unless their runs have many events; older ones take two.
 *
 * @throws PawlError `config` for unknown options, and for numbers that are not whole or below 1.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { viewPage } from "@pawl/core/view";
 *
 * const store = memoryStore();
 * const session = await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * const { view, before } = await viewPage(store, session, { last: 50 });
 * console.log(view.messages.length, before); // 0 null
 * ```
 */
export async function viewPage(
  store: EventStore,
  { id, lastSeq }: Pick<Session, "id" | "lastSeq">,
  options: PageOptions,
): Promise<ViewPage> {
  checkOptions("viewPage()", options, OPTIONS);
  const { last, before, shown = (event) => event } = options;
  checkNumbers("viewPage()", { last, before: before ?? 1 }, { least: 1, whole: true });
  // The last event to read. With `before`, it only shows where the page's last run ends.
  const upto = before ?? lastSeq;
  // An older page has a fixed end, but redactions may come at any time after it.
  const later = before === undefined ? [] : await readAll(store, id, { afterSeq: before, types: REDACTION });
  const parts: PagePart[] = [];
  let events: StoredEvent[] = [];
  // Each round reads the events before those that were read so far.
  for (let size = last * EVENTS_PER_MESSAGE; ; size *= 2) {
    const afterSeq = Math.max(0, upto - size);
    const firstRead = events[0]?.seq ?? upto + 1;
    const limit = firstRead - 1 - afterSeq;
    // The last page also has events that were stored after `lastSeq` was read.
    const readsTheEnd = before === undefined && events.length === 0;
    const read = readsTheEnd ? readToEnd : readAll;
    events = [...(await read(store, id, { afterSeq, limit })), ...events];
    await addParts(parts, { events, later, last, isOlder: before !== undefined, shown });
    const isLongEnough = parts.length > 0 && upto - afterSeq >= MOST_EVENTS;
    if (afterSeq === 0 || isLongEnough || countIn(parts) >= last)
      return pageOf(parts, before === undefined ? undefined : lastSeq);
  }
}

const REDACTION = ["redaction"] as const;

async function readAll(store: EventStore, id: string, options: ReadOptions): Promise<StoredEvent[]> {
  return await Array.fromAsync(givingWay(store.read(id, options)));
}

/** How many events after `lastSeq` can be read without another trip to the store. */
const SPARE = 100;

/** Reads to the end of a log, where `limit` events are expected. */
// Without a limit, most stores begin with a smaller page, and take one more trip.
async function readToEnd(
  store: EventStore,
  id: string,
  { afterSeq, limit }: Required<Pick<ReadOptions, "afterSeq" | "limit">>,
): Promise<StoredEvent[]> {
  const events = await readAll(store, id, { afterSeq, limit: limit + SPARE });
  const last = events.at(-1);
  if (last === undefined || events.length < limit + SPARE) return events;
  return [...events, ...(await readAll(store, id, { afterSeq: last.seq }))];
}
