import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import type { ReadOptions, StoredEvent } from "../log/event.ts";
import type { Session } from "../log/session-row.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { redactedEvent } from "../log/store/redacted.ts";
import { reduceView } from "./reduce.ts";
import { newView, type ViewMessage, type ViewState } from "./view.ts";

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

/** Consecutive messages of a session. */
export interface ViewPage {
  /**
   * The page's messages, oldest first, in a view. For the session's last messages, the other fields are those
   * of the session's view, so later events can be folded into it. For older messages, they are those of
   * `newView()`, except `cursor`: redactions up to that event are applied.
   */
  view: ViewState;
  /** The value of {@link PageOptions.before} for the next older messages. `null` if these are all. */
  before: number | null;
  /** The events of the page's runs, as `shown` has returned them. */
  events: readonly SessionEvent[];
}

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
    addParts(parts, { events, later, last, isOlder: before !== undefined, shown });
    const isLongEnough = parts.length > 0 && upto - afterSeq >= MOST_EVENTS;
    if (afterSeq === 0 || isLongEnough || countIn(parts) >= last)
      return pageOf(parts, before === undefined ? undefined : lastSeq);
  }
}

const REDACTION = ["redaction"] as const;

async function readAll(store: EventStore, id: string, options: ReadOptions): Promise<StoredEvent[]> {
  return await Array.fromAsync(store.read(id, options));
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

/**
 * The events between two places at which a view can begin, and their view. `before` is the `seq` of the first
 * event, or `null` at the beginning of the log.
 */
interface PagePart {
  view: ViewState;
  before: number | null;
  events: readonly SessionEvent[];
}

interface Window extends Required<Pick<PageOptions, "last" | "shown">> {
  /** Consecutive events up to the end of the page, or up to its `before`. */
  events: readonly StoredEvent[];
  /** The redactions after these events. */
  later: readonly StoredEvent[];
  isOlder: boolean;
}

/** Adds parts until the page is complete, the last part first. Folds each part on its own, and only once. */
function addParts(parts: PagePart[], { events, later, last, isOlder, shown }: Window): void {
  const starts = viewStarts(events);
  const first = events[0]?.seq ?? 1;
  const ends = [...starts.slice(1), ...(isOlder ? [] : [Number.POSITIVE_INFINITY])];
  const redactions = [...events, ...later].filter(({ type }) => type === "redaction");
  const redactedSeqs = new Set(redactions.map(({ data }) => (data as { seq: number }).seq));
  const asShown = (event: StoredEvent) => shown(redactedSeqs.has(event.seq) ? redactedEvent(event) : event);
  for (let index = ends.length - 1 - parts.length; index >= 0 && countIn(parts) < last; index -= 1) {
    const [start, end] = [starts[index], ends[index]];
    if (start === undefined || end === undefined) return;
    const partEvents = events.slice(start - first, end - first).map(asShown);
    // Only redactions of the part's own events: otherwise, each part would fold all of the session's.
    const partRedactions = redactions.filter(({ seq, data }) => {
      const target = (data as { seq: number }).seq;
      return seq >= end && target >= start && target < end;
    });
    const view = [...partEvents, ...partRedactions].reduce(reduceView, newView());
    parts.push({ view, before: start === 1 ? null : start, events: partEvents });
  }
}

function countIn(parts: readonly PagePart[]): number {
  return parts.reduce((sum, { view }) => sum + view.messages.length, 0);
}

/**
 * Joins parts to a page. `cursor` is the last event of which an older page has the redactions; `undefined`
 * for the last page.
 */
function pageOf(parts: readonly PagePart[], cursor: number | undefined): ViewPage {
  const messages: ViewMessage[] = [];
  const ids = new Set<string>();
  for (const { view } of parts) {
    // A message was replaced if a later one has the same id.
    messages.unshift(...view.messages.filter(({ id }) => !ids.has(id)));
    for (const { id } of view.messages) ids.add(id);
  }
  const view = cursor === undefined ? (parts[0]?.view ?? newView()) : { ...newView(), cursor };
  return {
    view: { ...view, messages },
    before: parts.at(-1)?.before ?? null,
    events: parts.toReversed().flatMap(({ events }) => events),
  };
}

/**
 * Returns the `seq`s at which a view can begin, among consecutive events of a log. A view that begins there
 * has the last messages of the whole log's view. Each place is the start of a run, or the first event of the
 * log.
 *
 * A retry continues its failed run, and a queued message belongs to the run that reads it, so no view begins
 * between these. Places that only earlier events could confirm are left out.
 */
export function viewStarts(events: readonly StoredEvent[]): number[] {
  const first = events[0]?.seq ?? 1;
  const starts = new Set(first === 1 ? [1] : []);
  // `seq` up to which a request has covered all messages; `undefined` if only earlier events show it.
  let readUpto = first === 1 ? 0 : undefined;
  let lastQueued = 0;
  for (const { type, data, seq } of events) {
    if (type === "user_message" && data.queued) lastQueued = seq;
    else if (type === "llm_request" && data.prompt.upto_seq >= first - 1) readUpto = data.prompt.upto_seq;
    else if (type === "run_started" && data.retry_of === undefined) {
      // A run starts only after the run before it, and all its calls and questions, have ended.
      if (readUpto !== undefined && lastQueued <= readUpto) starts.add(seq);
    }
  }
  return [...starts];
}
