import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type EventStore, PawlError, type PawlErrorCode, type Session, type StoredEvent } from "@pawl/core";
import type { AppendOptions, NewEvent, NewSession, ReadOptions } from "@pawl/core/store";

/** One check of a store. */
export interface Check {
  name: string;
  run(bench: Bench): Promise<void>;
}

/** A store with helpers for the checks. */
export interface Bench {
  store: EventStore;
  /** Advances the store's clock. */
  wait(ms: number): Promise<void>;
  /** A new session, of a new user unless one is named; its id. */
  session(session?: Partial<NewSession>): Promise<string>;
  /** The session's row, which must exist. */
  row(id: string): Promise<Session>;
  /** Appends under a new append id unless one is given. */
  append(
    id: string,
    events: readonly NewEvent[],
    options?: Partial<AppendOptions>,
  ): Promise<readonly StoredEvent[]>;
  /** All events at once. */
  events(id: string, options?: ReadOptions): Promise<StoredEvent[]>;
}

/** See {@link Bench}. */
export function bench(store: EventStore, wait: (ms: number) => Promise<void>): Bench {
  return {
    store,
    wait,
    async session(session) {
      const made = await store.sessions.create({
        id: randomUUID(),
        userId: randomUUID(),
        agent: "coach",
        ...session,
      });
      return made.id;
    },
    async row(id) {
      const row = await store.sessions.get(id);
      assert.ok(row !== undefined, `session ${id} is gone`);
      return row;
    },
    append: (id, events, options) => store.append(id, events, { appendId: randomUUID(), ...options }),
    async events(id, options) {
      const events: StoredEvent[] = [];
      for await (const event of store.read(id, options)) events.push(event);
      return events;
    },
  };
}

/** A note, the simplest event there is. */
export function note(text: string, key?: string): NewEvent {
  return { type: "note", data: { text }, ...(key === undefined ? {} : { key }) };
}

/** The texts of notes. */
export function texts(events: readonly StoredEvent[]): string[] {
  return events.map((event) => (event.type === "note" ? event.data.text : event.type));
}

/** `from`, `from` + 1, … `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Returns the error with which `work` rejects; asserts that it is a PawlError of this code. */
export async function rejection(work: Promise<unknown>, code: PawlErrorCode): Promise<PawlError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(PawlError.is(error), `expected a PawlError "${code}", got ${String(error)}`);
  assert.equal(error.code, code);
  return error;
}
