import { type EventStore, memoryStore, PawlError } from "@pawl/core";
import type { Dice } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Timeline } from "./timeline.ts";
import type { Witness } from "./witness.ts";

/** One database behind a network. */
export interface Database {
  /** The store itself, for checks. */
  readonly store: EventStore;
  /** Until when every call is refused, in milliseconds of the timeline. */
  downUntil: number;
  /** Until when its disk is slow, in milliseconds of the timeline. */
  slowUntil: number;
  /** Returns the store as a machine sees it. */
  connect(machine: Machine, witness: Witness, options: { canOpen: boolean }): EventStore;
}

/** How often a call is carried out and its answer lost. */
const LOST_ANSWERS = 0.004;

export function newDatabase(timeline: Timeline, dice: Dice, now: () => number): Database {
  const store = memoryStore({ now });
  const database: Database = {
    store,
    downUntil: 0,
    slowUntil: 0,
    connect: (machine, witness, { canOpen }) => {
      const call = caller(timeline, dice, database, machine, witness);
      const grant = async (ttlMs: number, granted: ReturnType<EventStore["acquire"]>) => {
        const lease = await granted;
        if (lease !== undefined) witness.granted(machine, lease, ttlMs);
        return lease;
      };
      return {
        append: (id, events, options) =>
          call(id, async () => {
            try {
              const rows = await store.append(id, events, options);
              await witness.appended(machine, id, rows, options);
              return rows;
            } catch (error) {
              const types = events.map(({ type }) => type).join(" ");
              witness.note(`${id} ${machine.name} refused ${options.afterSeq} ${types}: ${String(error)}`);
              if (PawlError.is(error, "fenced")) witness.refused();
              throw error;
            }
          }),
        read: async function* (id, options) {
          yield* await call(id, () => Array.fromAsync(store.read(id, options)));
        },
        acquire: (id, holder, ttlMs) => call(id, () => grant(ttlMs, store.acquire(id, holder, ttlMs))),
        ...(canOpen && {
          open: (wanted) =>
            call(wanted.id, async () => {
              const opened = await store.open?.(wanted);
              await grant(wanted.ttlMs, Promise.resolve(opened?.lease));
              return opened;
            }),
        }),
        saveSnapshot: (id, snapshot) => call(id, async () => await store.saveSnapshot?.(id, snapshot)),
        renew: (lease, ttlMs) =>
          call(lease.sessionId, async () => {
            const isHeld = await store.renew(lease, ttlMs);
            witness.renewed(machine, lease, ttlMs, isHeld);
            return isHeld;
          }),
        release: (lease) =>
          call(lease.sessionId, async () => {
            await store.release(lease);
            witness.released(lease);
          }),
        listRecoverable: (options) => call(undefined, () => store.listRecoverable(options)),
        sessions: {
          create: (session) => call(session.id, () => store.sessions.create(session)),
          get: (id) => call(id, () => store.sessions.get(id)),
          list: (options) => call(undefined, () => store.sessions.list(options)),
        },
      };
    },
  };
  return database;
}

/** Returns a function that carries out a call of a machine: it travels, may fail, and its answer travels. */
function caller(timeline: Timeline, dice: Dice, database: Database, machine: Machine, witness: Witness) {
  const travel = () => {
    if (dice.chance(0.003)) return dice.between(1_000, 15_000);
    return dice.chance(0.03) ? dice.between(50, 400) : dice.between(1, 10);
  };
  return <T>(sessionId: string | undefined, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const fail = (why: string, afterMs: number) => {
        witness.failed(sessionId);
        const error = new PawlError("store_unavailable", why);
        timeline.after(afterMs, () => reject(error), machine);
      };
      if (sessionId !== undefined) witness.asked(sessionId);
      if (timeline.now() < machine.cutOffUntil) return fail("No network.", dice.pick([1, 1, 3_000]));
      // What a process has sent may arrive after its death.
      const isLostWithMachine = dice.chance(0.5);
      const slowMs = Math.max(0, database.slowUntil - timeline.now()) * dice.next();
      timeline.after(travel() + slowMs, () => {
        if (machine.isGone && isLostWithMachine) return;
        if (timeline.now() < database.downUntil) return fail("The database is down.", travel());
        void work().then(
          (value) => {
            if (dice.chance(LOST_ANSWERS)) fail("The answer was lost.", dice.between(500, 8_000));
            else timeline.after(travel(), () => resolve(value), machine);
          },
          (error: unknown) => timeline.after(travel(), () => reject(error), machine),
        );
      });
    });
}
