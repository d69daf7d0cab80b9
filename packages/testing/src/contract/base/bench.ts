import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type EventStore, PawlError, type PawlErrorCode, type Session, type StoredEvent } from "@pawl/core";
import type { AppendOptions, Lease, NewEvent, NewSession, ReadOptions } from "@pawl/core/store";

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
  /** Moves the store's clock, back where `ms` is negative. `undefined`: the store has a clock of its own. */
  advance: Advance | undefined;
  /** A new session, of a new user unless one is named; its id. */
  session(session?: Partial<NewSession>): Promise<string>;
  /** The session's row, which must exist. */
  row(id: string): Promise<Session>;
  /** The session's lease, which must be free or the holder's own. */
  acquire(id: string, holder: string, ttlMs: number): Promise<Lease>;
  /** Appends under a new append id unless one is given. */
  append(
    id: string,
    events: readonly NewEvent[],
    options?: Partial<AppendOptions>,
  ): Promise<readonly StoredEvent[]>;
  /** All events at once. */
  events(id: string, options?: ReadOptions): Promise<StoredEvent[]>;
}

type Advance = (ms: number) => void | Promise<void>;

/** See {@link Bench}. */
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
      assert.ok(row !== undefined, `session ${id} is gone`);
      return row;
    },
    async acquire(id, holder, ttlMs) {
      const lease = await store.acquire(id, holder, ttlMs);
      assert.ok(lease !== undefined, `acquire gave no lease to "${holder}", though none is live`);
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
  const [settled] = await Promise.allSettled([work]);
  assert.ok(settled.status === "rejected", `should have been refused with ${code}, but was accepted`);
  const error: unknown = settled.reason;
  assert.ok(PawlError.is(error), `should have been refused with ${code}, but failed with ${String(error)}`);
  assert.equal(
    error.code,
    code,
    `should have been refused with ${code}, but was with ${error.code}: ${error.message}`,
  );
  return error;
}
