import { checkOptions } from "../base/check-options.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { checkNames } from "../log/storable.ts";
import {
  type Balance,
  checkRequest,
  checkUse,
  notReservable,
  RESERVATION_TTL_MS,
  type Reservation,
  type ReservationAnswer,
  type Reservations,
} from "./reservations.ts";

/**
 * A reservation as stored in memory. `expires` is in milliseconds since 1970, and `undefined` if nothing is
 * held.
 */
interface Entry {
  account: string;
  id: string;
  amount: number;
  used: number;
  expires: number | undefined;
  finalized: boolean;
}

/**
 * Keeps reservations in memory, for tests and for a single process that may lose them.
 *
 * @example
 * ```ts
 * import { memoryReservations } from "@pawl/core";
 *
 * const reservations = memoryReservations();
 * const budget = { account: "user-1/2026-11", limit: 1_000 };
 * console.log(await reservations.reserve({ ...budget, id: "a", amount: 800 }));
 * // { granted: true, available: 200 }
 * console.log(await reservations.reserve({ ...budget, id: "b", amount: 800 }));
 * // { granted: false, available: 200 }
 * await reservations.finalize("a", 150);
 * console.log(await reservations.reserve({ ...budget, id: "b", amount: 800 }));
 * // { granted: true, available: 50 }
 * ```
 */
export function memoryReservations(options: { clock?: Pick<Clock, "now"> } = {}): Reservations {
  checkOptions<typeof options>("memoryReservations()", options, { clock: "object" });
  const { clock = systemClock } = options;
  const ledger = newLedger(clock);
  return {
    async reserve(request): Promise<ReservationAnswer> {
      const { account, id, amount, limit, ttlMs } = checkRequest(request);
      const { used, held } = ledger.balance(account);
      const available = limit - used - held;
      const entry = ledger.entries.get(id) ?? newEntry(account, id);
      if (entry.account !== account) throw notReservable("foreign");
      if (entry.finalized) throw notReservable("finalized");
      if (entry.expires !== undefined) return { granted: true, available };
      const needed = Math.max(0, amount - entry.used);
      if (needed > available) return { granted: false, available };
      ledger.hold(Object.assign(entry, { amount, expires: clock.now() + ttlMs }));
      return { granted: true, available: available - needed };
    },
    async renew(id, used, ttlMs = RESERVATION_TTL_MS) {
      checkUse(id, used, ttlMs);
      return ledger.charge(id, used, (entry) => {
        if (entry.expires !== undefined) entry.expires = clock.now() + ttlMs;
      });
    },
    async abort(id, used) {
      checkUse(id, used);
      return ledger.charge(id, used, ledger.release);
    },
    async finalize(id, used) {
      checkUse(id, used);
      return ledger.charge(id, used, (entry) => {
        ledger.release(entry);
        entry.finalized = true;
      });
    },
    expire: async () => ledger.expire(),
    async balance(account) {
      checkNames(account);
      return ledger.balance(account);
    },
  };
}

function newEntry(account: string, id: string): Entry {
  return { account, id, amount: 0, used: 0, expires: undefined, finalized: false };
}

/**
 * Makes an empty ledger of reservations. It has each account's charges, and the reservations that are held.
 */
function newLedger(clock: Pick<Clock, "now">) {
  const entries = new Map<string, Entry>();
  const accounts = new Map<string, { used: number; held: Set<Entry> }>();
  const accountOf = (name: string) => {
    const account = accounts.get(name) ?? { used: 0, held: new Set() };
    accounts.set(name, account);
    return account;
  };
  const release = (entry: Entry): void => {
    entry.expires = undefined;
    accountOf(entry.account).held.delete(entry);
  };
  /** Releases the expired reservations of an account, and returns their number. */
  const expireOf = (name: string): number => {
    const due = [...(accounts.get(name)?.held ?? [])].filter(({ expires = 0 }) => expires <= clock.now());
    for (const entry of due) release(entry);
    return due.length;
  };
  return {
    entries: entries as ReadonlyMap<string, Entry>,
    release,
    expire: () => [...accounts.keys()].reduce((sum, name) => sum + expireOf(name), 0),
    hold: (entry: Entry): void => {
      entries.set(entry.id, entry);
      accountOf(entry.account).held.add(entry);
    },
    balance: (name: string): Balance => {
      expireOf(name);
      const { used, held } = accounts.get(name) ?? { used: 0, held: [] };
      return { used, held: [...held].reduce((sum, entry) => sum + unusedOf(entry), 0) };
    },
    /**
     * Charges what was used since the last call. Then calls `change`, which extends or closes the
     * reservation. Changes nothing if it is finalized. Returns `undefined` if there is no such reservation.
     */
    charge: (id: string, used: number, change: (entry: Entry) => void): Reservation | undefined => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      expireOf(entry.account);
      if (!entry.finalized) {
        const newlyUsed = Math.max(0, used - entry.used);
        entry.used += newlyUsed;
        accountOf(entry.account).used += newlyUsed;
        change(entry);
      }
      return reservationOf(entry);
    },
  };
}

/** Returns the part of a reservation's amount that is not used yet. */
function unusedOf({ amount, used }: Entry): number {
  return Math.max(0, amount - used);
}

/** Returns an entry as callers see it. */
function reservationOf({ account, id, amount, used, expires, finalized }: Entry): Reservation {
  const base = { account, id, amount, used };
  if (finalized) return { ...base, state: "finalized" };
  if (expires === undefined) return { ...base, state: "released" };
  return { ...base, state: "held", expiresAt: new Date(expires).toISOString() };
}
