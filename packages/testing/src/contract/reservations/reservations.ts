import assert from "node:assert/strict";
import { range, rejection } from "../base/bench.ts";
import { LONGER, type ReservationCheck, SHORT, told } from "./reservation-bench.ts";

/** Checks of reserving, charging and releasing. */
export const reservationChecks: readonly ReservationCheck[] = [
  {
    name: "E10 what is reserved is not available, and what is finalized is charged with what was used",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 80 });
      assert.deepEqual(await reservations.reserve(one), { granted: true, available: 20 });
      const other = request({ account: one.account, amount: 21 });
      assert.deepEqual(await reservations.reserve(other), { granted: false, available: 20 });
      assert.deepEqual(await reservations.balance(one.account), { used: 0, held: 80 });
      const done = await reservations.finalize(one.id, 30);
      assert.deepEqual(done, {
        account: one.account,
        id: one.id,
        amount: 80,
        used: 30,
        state: "finalized",
      });
      assert.deepEqual(await reservations.balance(one.account), { used: 30, held: 0 });
      assert.deepEqual(await reservations.reserve(other), { granted: true, available: 49 });
    },
  },
  {
    name: "E10 every call may be repeated: it counts once and returns the same",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 60 });
      for (const _ of range(1, 3))
        assert.deepEqual(await reservations.reserve(one), { granted: true, available: 40 });
      for (const _ of range(1, 3))
        assert.deepEqual(told(await reservations.renew(one.id, 5, 60_000)), ["held", 60, 5]);
      assert.deepEqual(await reservations.balance(one.account), { used: 5, held: 55 });
      for (const _ of range(1, 3))
        assert.deepEqual(told(await reservations.abort(one.id, 7)), ["released", 60, 7]);
      for (const _ of range(1, 3))
        assert.deepEqual(told(await reservations.finalize(one.id, 9)), ["finalized", 60, 9]);
      assert.deepEqual(await reservations.balance(one.account), { used: 9, held: 0 });
    },
  },
  {
    name: "E10 nothing changes the charge of a finalized reservation",
    async run({ account, request, reservations }) {
      const one = request({ account: account() });
      await reservations.reserve(one);
      await reservations.finalize(one.id, 4);
      const last = ["finalized", 10, 4];
      assert.deepEqual(told(await reservations.finalize(one.id, 9)), last);
      assert.deepEqual(told(await reservations.abort(one.id, 9)), last);
      assert.deepEqual(told(await reservations.renew(one.id, 9)), last);
      await rejection(reservations.reserve(one), "invalid_input");
      assert.deepEqual(await reservations.balance(one.account), { used: 4, held: 0 });
    },
  },
  {
    name: "E10 use is cumulative and never shrinks: a late or repeated call takes nothing back",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 50 });
      await reservations.reserve(one);
      await reservations.renew(one.id, 30);
      assert.deepEqual(told(await reservations.renew(one.id, 20)), ["held", 50, 30]);
      assert.deepEqual(await reservations.balance(one.account), { used: 30, held: 20 });
      assert.deepEqual(told(await reservations.finalize(one.id, 0)), ["finalized", 50, 30]);
    },
  },
  {
    name: "E10 an abort charges what was used and gives the rest back at once",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 100 });
      await reservations.reserve(one);
      assert.deepEqual(told(await reservations.abort(one.id, 30)), ["released", 100, 30]);
      assert.deepEqual(await reservations.balance(one.account), { used: 30, held: 0 });
      const other = request({ account: one.account, amount: 70 });
      assert.deepEqual(await reservations.reserve(other), { granted: true, available: 0 });
    },
  },
  {
    name: "E10 what was aborted can be reserved again, less what it has used, if there is room",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 60 });
      await reservations.reserve(one);
      await reservations.abort(one.id, 20);
      const other = request({ account: one.account, amount: 50 });
      await reservations.reserve(other);
      assert.deepEqual(await reservations.reserve(one), { granted: false, available: 30 });
      await reservations.finalize(other.id, 10);
      assert.deepEqual(await reservations.reserve(one), { granted: true, available: 30 });
      assert.deepEqual(await reservations.balance(one.account), { used: 30, held: 40 });
    },
  },
  {
    name: "E10 what nobody renews expires: the rest is back, what was charged stays",
    async run({ account, request, reservations, wait }) {
      const one = request({ account: account(), amount: 100 });
      await reservations.reserve(one);
      await reservations.renew(one.id, 10);
      assert.deepEqual(await reservations.balance(one.account), { used: 10, held: 90 });
      assert.deepEqual(told(await reservations.renew(one.id, 10, SHORT)), ["held", 100, 10]);
      await wait(LONGER);
      assert.deepEqual(await reservations.balance(one.account), { used: 10, held: 0 });
      const other = request({ account: one.account, amount: 90 });
      assert.deepEqual(await reservations.reserve(other), { granted: true, available: 0 });
    },
  },
  {
    name: "E10 renewing counts from now, and does not raise what has expired",
    async run({ account, request, reservations, wait }) {
      const one = request({ account: account(), ttlMs: 60_000 });
      await reservations.reserve(one);
      const ends: number[] = [];
      for (const ttlMs of [60_000, 600_000, SHORT])
        ends.push(Date.parse((await reservations.renew(one.id, 0, ttlMs))?.expiresAt ?? ""));
      const [first = 0, later = 0, short = 0] = ends;
      assert.ok(later - first >= 540_000, "renewing for longer must hold the reservation for longer");
      assert.ok(short < first, "renewing for less time must hold the reservation for less time");
      await wait(LONGER);
      const late = await reservations.renew(one.id, 3, 600_000);
      assert.deepEqual([told(late), late?.expiresAt], [["released", 10, 3], undefined]);
      assert.deepEqual(await reservations.balance(one.account), { used: 3, held: 0 });
      assert.equal((await reservations.reserve(one)).granted, true);
      assert.deepEqual(await reservations.balance(one.account), { used: 3, held: 7 });
    },
  },
  {
    name: "E10 finalizing after expiry charges the full use, and nothing is granted while the account is over its limit",
    async run({ account, request, reservations, wait }) {
      const one = request({ account: account(), amount: 60, ttlMs: SHORT });
      await reservations.reserve(one);
      await wait(LONGER);
      const other = request({ account: one.account, amount: 90 });
      assert.equal((await reservations.reserve(other)).granted, true);
      assert.deepEqual(told(await reservations.finalize(one.id, 50)), ["finalized", 60, 50]);
      assert.deepEqual(await reservations.balance(one.account), { used: 50, held: 90 });
      const none = request({ account: one.account, amount: 0 });
      assert.deepEqual(await reservations.reserve(none), { granted: false, available: -40 });
      await reservations.finalize(other.id, 50);
      assert.deepEqual(await reservations.reserve(none), { granted: true, available: 0 });
    },
  },
  {
    name: "E10 more than was reserved is charged all the same",
    async run({ account, request, reservations }) {
      const one = request({ account: account(), amount: 10 });
      await reservations.reserve(one);
      assert.deepEqual(told(await reservations.renew(one.id, 130)), ["held", 10, 130]);
      assert.deepEqual(await reservations.balance(one.account), { used: 130, held: 0 });
      assert.deepEqual(await reservations.reserve(request({ account: one.account })), {
        granted: false,
        available: -30,
      });
      // The user has changed to a plan with a higher limit.
      const more = request({ account: one.account, limit: 140 });
      assert.deepEqual(await reservations.reserve(more), { granted: true, available: 0 });
    },
  },
];
