import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type EventStore, PawlError, type PawlErrorCode, type Session, type StoredEvent } from "@pawl/core";
import type { AcquiredLease, AppendOptions, NewEvent, NewSession, ReadOptions } from "@pawl/core/store";

/** One check of an event store. */
export interface Check {
  name: string;
  run(bench: Bench): Promise<void>;
}

/** An event store, with helpers for the checks. */
export interface Bench {
  store: EventStore;
  /** Advances the store's clock by `ms` milliseconds. */
  wait(ms: number): Promise<void>;
  /**
   * Moves the store's clock by a number of milliseconds, backwards if negative. `undefined` if a test cannot
   * move the store's clock.
   */
  advance: Advance | undefined;
  /** Creates a session and resolves to its id. Default: of a new user. */
  session(session?: Partial<NewSession>): Promise<string>;
  /** Resolves to the session's row. Fails if none exists. */
  row(id: string): Promise<Session>;
  /** Acquires the session's lease. Fails if another holder has it. */
  acquire(id: string, holder: string, ttlMs: number): Promise<AcquiredLease>;
  /** Appends events. Default: under a new append id. */
  append(
    id: string,
    events: readonly NewEvent[],
    options?: Partial<AppendOptions>,
  ): Promise<readonly StoredEvent[]>;
  /** Resolves to all events that a read yields. */
  events(id: string, options?: ReadOptions): Promise<StoredEvent[]>;
}

type Advance = (ms: number) => void | Promise<void>;

/** Returns a store with helpers for the checks. */
export function bench(store: EventStore, advance: Advance | undefined): Bench {
  return {
    store,
    advance,
    async wait(ms) {
      await (advance ?? sleep)(ms);
    },
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
      assert.ok(row !== undefined, `sessions.get("${id}") returned undefined for an existing session`);
      return row;
    },
    async acquire(id, holder, ttlMs) {
      const lease = await store.acquire(id, holder, ttlMs);
      assert.ok(
        lease !== undefined,
        `acquire returned no lease for "${holder}", although no other lease is live`,
      );
      return lease;
    },
    append: (id, events, options) => store.append(id, events, { appendId: randomUUID(), ...options }),
    async events(id, options) {
      const events: StoredEvent[] = [];
      for await (const event of store.read(id, options)) events.push(event);
      return events;
    },
  };
}

/** Returns a new event of the simplest type, a note. */
export function note(text: string, key?: string): NewEvent {
  return { type: "note", data: { text }, ...(key === undefined ? {} : { key }) };
}

/** Returns the texts of notes, and the types of other events. */
export function texts(events: readonly StoredEvent[]): string[] {
  return events.map((event) => (event.type === "note" ? event.data.text : event.type));
}

/** Returns the numbers from `from` to `to`, both included. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Resolves to the error with which `work` rejects. Asserts that it is a PawlError with this code. */
export async function rejection(work: Promise<unknown>, code: PawlErrorCode): Promise<PawlError> {
  const [settled] = await Promise.allSettled([work]);
  assert.ok(settled.status === "rejected", `expected a PawlError "${code}", but the call succeeded`);
  const error: unknown = settled.reason;
  assert.ok(PawlError.is(error), `expected a PawlError "${code}", got ${String(error)}`);
  assert.equal(
    error.code,
    code,
    `should have been refused with ${code}, but was with ${error.code}: ${error.message}`,
  );
  return error;
}
