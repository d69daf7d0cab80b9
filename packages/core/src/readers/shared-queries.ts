import { deepFreeze } from "../base/freeze.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";

/** The most events that one shared query reads. A reader that is further behind reads the rest on its own. */
const MAX_EVENTS = 64;

/**
 * The result of a query: the events in order, and the failure that ended the query, if it failed. The events
 * are frozen, because several readers share them.
 */
export interface QueryAnswer {
  events: readonly StoredEvent[];
  /** Whether these were all events after the cursor at the time of the query. */
  isWhole: boolean;
  failure?: { cause: unknown };
}

/** Queries of a store that readers with the same cursor share. */
export interface SharedQueries {
  /** Returns events after `cursor`. Readers with the same cursor get the same answer. */
  ask(cursor: number): Promise<QueryAnswer>;
}

/** Creates the shared queries of one session. */
export function sharedQueries(store: EventStore, sessionId: string): SharedQueries {
  const answers = new Map<number, Promise<QueryAnswer>>();
  return {
    ask(cursor) {
      const known = answers.get(cursor);
      if (known !== undefined) return known;
      const answer = readSome(store, sessionId, cursor);
      answers.set(cursor, answer);
      // Only an answer with all events is shared with readers that ask later.
      void answer.then(({ isWhole }) => {
        if (!isWhole && answers.get(cursor) === answer) answers.delete(cursor);
      });
      return answer;
    },
  };
}

/** Reads the next events. Resolves even if the store fails, with the events before the failure. */
async function readSome(store: EventStore, sessionId: string, afterSeq: number): Promise<QueryAnswer> {
  const events: StoredEvent[] = [];
  try {
    for await (const event of store.read(sessionId, { afterSeq, limit: MAX_EVENTS }))
      events.push(deepFreeze(event));
    return { events, isWhole: events.length < MAX_EVENTS };
  } catch (cause) {
    return { events, isWhole: false, failure: { cause } };
  }
}
