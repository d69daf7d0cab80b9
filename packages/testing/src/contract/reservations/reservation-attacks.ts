import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { range, rejection } from "../base/bench.ts";
import { LONGER, type ReservationCheck, SHORT, told } from "./reservation-bench.ts";

/** Checks of concurrent calls, unknown reservations and hostile input. */
export const reservationAttacks: readonly ReservationCheck[] = [
  {
    name: "E10 expire writes down what is over, in all accounts",
    async run({ account, request, reservations, wait }) {
      await reservations.expire();
      const short = range(1, 3).map(() => request({ account: account(), ttlMs: SHORT }));
      const long = request({ account: account() });
      for (const one of [...short, long]) await reservations.reserve(one);
      await wait(LONGER);
      assert.ok((await reservations.expire()) >= 3);
      for (const one of short)
        assert.deepEqual(await reservations.balance(one.account), { used: 0, held: 0 });
      assert.deepEqual(await reservations.balance(long.account), { used: 0, held: 10 });
    },
  },
  {
    name: "E10 of 40 concurrent requests for a budget of 20 exactly 20 are granted, once each however often repeated",
    async run({ account, request, reservations }) {
      const name = account();
      const all = range(1, 40).map(() => request({ account: name, amount: 5 }));
      const answers = await Promise.all([...all, ...all].map((one) => reservations.reserve(one)));
      const granted = all.filter((_, at) => answers[at]?.granted);
      assert.equal(granted.length, 20);
      assert.deepEqual(
        answers.slice(40).map((answer) => answer.granted),
        answers.slice(0, 40).map((answer) => answer.granted),
      );
      assert.deepEqual(await reservations.balance(name), { used: 0, held: 100 });
      const ends = [...granted, ...granted].map(({ id }) => reservations.finalize(id, 2));
      await Promise.all(ends);
      assert.deepEqual(await reservations.balance(name), { used: 40, held: 0 });
    },
  },
  {
    name: "E10 an id is one reservation, of one account",
    async run({ account, request, reservations }) {
      const one = request({ account: account() });
      const thief = { ...one, account: account() };
      const both = await Promise.allSettled([reservations.reserve(one), reservations.reserve(thief)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      const late = both[0]?.status === "rejected" ? one : thief;
      await rejection(reservations.reserve(late), "invalid_input");
      assert.deepEqual(await reservations.balance(late.account), { used: 0, held: 0 });
    },
  },
  {
    name: "E10 what was never reserved cannot be charged, and an account that nobody has used is empty",
    async run({ account, reservations }) {
      const id = randomUUID();
      assert.equal(await reservations.renew(id, 5), undefined);
      assert.equal(await reservations.abort(id, 5), undefined);
      assert.equal(await reservations.finalize(id, 5), undefined);
      assert.deepEqual(await reservations.balance(account()), { used: 0, held: 0 });
    },
  },
  {
    name: "E10 names may be anything that has UTF-8, and are told apart to the byte",
    async run({ request, reservations }) {
      const tag = randomUUID();
      const names = [
        "'; DROP TABLE agent_reservations; --",
        "$1",
        "%",
        "ä",
        "a\u0308",
        "\u{1f600}",
        " ",
        "A",
        "a",
      ];
      for (const [at, name] of names.entries()) {
        const one = request({ account: `${name}${tag}`, id: `${tag}${name}`, amount: at + 1 });
        assert.equal((await reservations.reserve(one)).granted, true);
      }
      for (const [at, name] of names.entries()) {
        assert.deepEqual(await reservations.balance(`${name}${tag}`), { used: 0, held: at + 1 });
        assert.deepEqual(told(await reservations.finalize(`${tag}${name}`, at)), ["finalized", at + 1, at]);
      }
      const longest = request({ account: `${tag}${"x".repeat(964)}`, id: `${tag}${"y".repeat(964)}` });
      assert.equal((await reservations.reserve(longest)).granted, true);
    },
  },
  {
    name: "E10 invalid names and numbers are refused, and change nothing",
    async run({ account, request, reservations }) {
      const one = request({ account: account() });
      await reservations.reserve(one);
      for (const name of ["", "a\0b", "\ud800", "x".repeat(1_001)]) {
        await rejection(reservations.reserve(request({ account: name })), "invalid_input");
        await rejection(reservations.reserve({ ...one, id: name }), "invalid_input");
        await rejection(reservations.finalize(name, 1), "invalid_input");
        await rejection(reservations.abort(name, 1), "invalid_input");
        await rejection(reservations.renew(name, 1), "invalid_input");
        await rejection(reservations.balance(name), "invalid_input");
      }
      for (const number of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1" as never]) {
        await rejection(reservations.reserve({ ...one, amount: number }), "invalid_input");
        await rejection(reservations.reserve({ ...one, limit: number }), "invalid_input");
        await rejection(reservations.reserve({ ...one, ttlMs: number }), "invalid_input");
        await rejection(reservations.finalize(one.id, number), "invalid_input");
        await rejection(reservations.abort(one.id, number), "invalid_input");
        await rejection(reservations.renew(one.id, number), "invalid_input");
        await rejection(reservations.renew(one.id, 1, number), "invalid_input");
      }
      assert.deepEqual(await reservations.balance(one.account), { used: 0, held: 10 });
      const large = request({ account: account(), amount: 2 ** 53 - 1, limit: 2 ** 53 - 1 });
      assert.deepEqual(await reservations.reserve(large), { granted: true, available: 0 });
    },
  },
];
