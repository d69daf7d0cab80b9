import type { StoredEvent } from "./event.ts";
import type { EventStore } from "./event-store.ts";
import { deepFreeze } from "./stored-form.ts";

/** The events that one shared query reads at most. A reader that is further behind reads the rest by itself. */
const MAX_EVENTS = 64;

/** What a query has brought: events in order, frozen because readers share them, and then what went wrong. */
export interface Answer {
  events: readonly StoredEvent[];
  /** There is nothing behind them. */
  isWhole: boolean;
  failure?: { cause: unknown };
}

/** Queries that readers at the same place share. */
export interface SharedQueries {
  /** Events after `cursor`. */
  ask(cursor: number): Promise<Answer>;
  /** From now on, whoever asks gets a new query. */
  forget(): void;
}

/** One query for all that ask after the same event, until the answers are forgotten. */
export function sharedQueries(store: EventStore, sessionId: string): SharedQueries {
  const answers = new Map<number, Promise<Answer>>();
  return {
    ask(cursor) {
      const known = answers.get(cursor);
      if (known !== undefined) return known;
      const answer = readSome(store, sessionId, cursor);
      answers.set(cursor, answer);
      void answer.then(({ isWhole }) => {
        if (!isWhole && answers.get(cursor) === answer) answers.delete(cursor);
      });
      return answer;
    },
    // Clearing an empty map makes a new table, and this is called for every delta.
    forget: () => {
      if (answers.size > 0) answers.clear();
    },
  };
}

async function readSome(store: EventStore, sessionId: string, afterSeq: number): Promise<Answer> {
  const events: StoredEvent[] = [];
  try {
    for await (const event of store.read(sessionId, { afterSeq, limit: MAX_EVENTS }))
      events.push(deepFreeze(event));
    return { events, isWhole: events.length < MAX_EVENTS };
  } catch (cause) {
    return { events, isWhole: false, failure: { cause } };
  }
}
