import assert from "node:assert/strict";
import { type EventStore, memoryStore, readShown, type SessionEvent, type StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewState, viewPage } from "@pawl/core/view";
import { publicEvent } from "../../packages/sse/src/session/public-event.ts";

/** The page sizes that are tried, and how many views of a beginning of the log are continued. */
const SIZES = [1, 2, 3, 7, 50];
const CONTINUED = 12;

const shown = (event: StoredEvent): SessionEvent => publicEvent(event);

/** Returns a store with a log that was made elsewhere. */
export function storeWith(log: readonly StoredEvent[]): EventStore {
  return {
    ...memoryStore(),
    read: async function* (_id, { afterSeq = 0, types, limit = log.length } = {}) {
      const wanted = log.filter(({ seq, type }) => seq > afterSeq && (types?.includes(type) ?? true));
      yield* wanted.slice(0, limit);
    },
  };
}

/** Folds a whole log, as its user sees it. */
export async function wholeView(log: readonly StoredEvent[]): Promise<ViewState> {
  const events = await Array.fromAsync(readShown(storeWith(log), ""));
  return events.map(shown).reduce(reduceView, newView());
}

/** Reads all pages of a log, the newest first. */
export async function allPages(log: readonly StoredEvent[], last: number) {
  const session = { id: "", lastSeq: log.length };
  const pages = [await viewPage(storeWith(log), session, { last, shown })];
  for (let { before } = pages[0] ?? assert.fail(); before !== null; ) {
    const older = await viewPage(storeWith(log), session, { last, before, shown });
    assert.ok(older.before === null || older.before < before, `page before ${before} leads nowhere`);
    pages.push(older);
    before = older.before;
  }
  return pages;
}

/**
 * Asserts that the pages of a log are its view: joined, in every page size, and when the newest one is
 * continued by later events.
 */
export async function assertPages(log: readonly StoredEvent[]): Promise<void> {
  const whole = await wholeView(log);
  for (const last of SIZES) {
    const pages = await allPages(log, last);
    const joined = pages.toReversed().flatMap(({ view }) => view.messages);
    const newest = pages[0]?.view ?? newView();
    assert.deepEqual({ ...newest, messages: joined }, whole, `pages of ${last} are not the view`);
    for (const { view, before } of pages) assert.ok(view.messages.length >= last || before === null);
  }
  const step = Math.ceil(log.length / CONTINUED);
  for (let upto = step; upto < log.length; upto += step) await assertContinued(log, upto);
}

async function assertContinued(log: readonly StoredEvent[], upto: number): Promise<void> {
  const known = log.slice(0, upto);
  const live = log.slice(upto).map(shown);
  const whole = live.reduce(reduceView, await wholeView(known));
  const page = await viewPage(storeWith(known), { id: "", lastSeq: upto }, { last: 1, shown });
  const continued = live.reduce(reduceView, page.view);
  const messages = whole.messages.slice(-continued.messages.length);
  assert.deepEqual(continued, { ...whole, messages }, `the page after event ${upto} is continued wrongly`);
}
