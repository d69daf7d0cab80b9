import { ITEMS_A_TURN, turnOfLoop } from "../base/next-turn.ts";
import type { StoredEvent } from "../log/event.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { redactedEvent } from "../log/store/redacted.ts";
import { viewFold } from "./fold-view.ts";
import { viewStarts } from "./starts.ts";
import { newView, type ViewState } from "./view.ts";

/** Consecutive messages of a session. */
export interface ViewPage {
  /**
   * The page's messages, oldest first, in a view. For the session's last messages, the other fields are those
   * of the session's view, so later events can be folded into it. For older messages, they are those of
   * `newView()`, except `cursor`: redactions up to that event are applied.
   */
  view: ViewState;
  /** The value of `before` for the next older messages. `null` if these are all. */
  before: number | null;
  /** The events of the page's runs, as `shown` has returned them. */
  events: readonly SessionEvent[];
}

/**
 * The events between two places at which a view can begin, and their view. `before` is the `seq` of the first
 * event, or `null` at the beginning of the log.
 */
export interface PagePart {
  view: ViewState;
  before: number | null;
  events: readonly SessionEvent[];
}

/** The events of which a page is made. */
export interface Window {
  /** How many messages the page has, at least. */
  last: number;
  shown: (event: StoredEvent) => SessionEvent;
  /** Consecutive events up to the end of the page, or up to its `before`. */
  events: readonly StoredEvent[];
  /** The redactions after these events. */
  later: readonly StoredEvent[];
  isOlder: boolean;
}

/** Adds parts until the page is complete, the last part first. Folds each part on its own, and only once. */
export async function addParts(
  parts: PagePart[],
  { events, later, last, isOlder, shown }: Window,
): Promise<void> {
  const starts = viewStarts(events);
  const first = events[0]?.seq ?? 1;
  const ends = [...starts.slice(1), ...(isOlder ? [] : [Number.POSITIVE_INFINITY])];
  const redactions = redactionsByTarget([...events, ...later]);
  const asShown = (event: StoredEvent) => shown(redactions.has(event.seq) ? redactedEvent(event) : event);
  let count = countIn(parts);
  let folded = 0;
  for (let index = ends.length - 1 - parts.length; index >= 0 && count < last; index -= 1) {
    const [start, end] = [starts[index], ends[index]];
    if (start === undefined || end === undefined) return;
    const stored = events.slice(start - first, end - first);
    const partEvents: SessionEvent[] = [];
    const fold = viewFold();
    await fold.addEvents(mapped(stored, asShown), (event) => partEvents.push(event));
    // Only redactions of the part's own events: otherwise, each part would fold all of the session's.
    const own = stored.flatMap(({ seq }) => redactions.get(seq) ?? []).filter(({ seq }) => seq >= end);
    await fold.addEvents(own.sort((one, other) => one.seq - other.seq));
    const view = fold.view();
    parts.push({ view, before: start === 1 ? null : start, events: partEvents });
    count += view.messages.length;
    folded += stored.length;
    if (folded < ITEMS_A_TURN) continue;
    folded = 0;
    await turnOfLoop();
  }
}

/** Returns the redactions among the events, by the `seq` of the event that they redact. */
function redactionsByTarget(events: readonly StoredEvent[]): ReadonlyMap<number, StoredEvent[]> {
  const found = new Map<number, StoredEvent[]>();
  for (const event of events) {
    if (event.type !== "redaction") continue;
    const others = found.get(event.data.seq);
    if (others === undefined) found.set(event.data.seq, [event]);
    else others.push(event);
  }
  return found;
}

function* mapped<T, U>(items: readonly T[], change: (item: T) => U): Generator<U, void> {
  for (const item of items) yield change(item);
}

export function countIn(parts: readonly PagePart[]): number {
  return parts.reduce((sum, { view }) => sum + view.messages.length, 0);
}

/**
 * Joins parts to a page. `cursor` is the last event of which an older page has the redactions; `undefined`
 * for the last page.
 */
export function pageOf(parts: readonly PagePart[], cursor: number | undefined): ViewPage {
  const ids = new Set<string>();
  const newestFirst = parts.map(({ view }) => {
    // A message was replaced if a later one has the same id.
    const own = view.messages.filter(({ id }) => !ids.has(id));
    for (const { id } of own) ids.add(id);
    return own;
  });
  const messages = newestFirst.toReversed().flat();
  const view = cursor === undefined ? (parts[0]?.view ?? newView()) : { ...newView(), cursor };
  return {
    view: { ...view, messages },
    before: parts.at(-1)?.before ?? null,
    events: parts.toReversed().flatMap(({ events }) => events),
  };
}
