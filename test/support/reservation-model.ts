import type { Balance, ReservationAnswer, Reservations } from "@pawl/core/store";
import fc from "fast-check";
import { expect } from "vitest";

/** One call on one of a few reservations. A `short` reservation expires before the next call. */
export type ReservationStep =
  | { do: "reserve"; n: number; account: number; amount: number; limit: number; short: boolean }
  | { do: "renew"; n: number; used: number; short: boolean }
  | { do: "abort" | "finalize"; n: number; used: number }
  | { do: "expire" };

const n = fc.integer({ min: 0, max: 4 });
const used = fc.integer({ min: 0, max: 12 });

/** Generates calls in any order, most of them on existing reservations. */
export const reservationSteps: fc.Arbitrary<ReservationStep[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("reserve" as const),
        n,
        account: fc.integer({ min: 0, max: 1 }),
        amount: fc.integer({ min: 0, max: 10 }),
        limit: fc.constantFrom(15, 15, 20),
        short: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("renew" as const), n, used, short: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom("abort" as const, "finalize" as const), n, used }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
  ),
  { minLength: 1, maxLength: 30 },
);

interface Held {
  account: number;
  amount: number;
  used: number;
  state: "held" | "released" | "finalized";
  short: boolean;
}

/**
 * A minimal model of reservations. Its only state is the list of all of them; every result is a sum over it.
 */
class Model {
  readonly all = new Map<number, Held>();

  balance(account: number): Balance {
    const own = [...this.all.values()].filter((one) => one.account === account);
    const rest = ({ state, amount, used }: Held) => (state === "held" ? Math.max(0, amount - used) : 0);
    return {
      used: own.reduce((sum, one) => sum + one.used, 0),
      held: own.reduce((sum, one) => sum + rest(one), 0),
    };
  }

  reserve(step: ReservationStep & { do: "reserve" }): ReservationAnswer | "refused" {
    const { n, account, amount, limit, short } = step;
    const known = this.all.get(n);
    if (known !== undefined && (known.account !== account || known.state === "finalized")) return "refused";
    const { used, held } = this.balance(account);
    const available = limit - used - held;
    if (known?.state === "held") return { granted: true, available };
    const wanted = Math.max(0, amount - (known?.used ?? 0));
    if (wanted > available) return { granted: false, available };
    this.all.set(n, { account, amount, used: known?.used ?? 0, state: "held", short });
    return { granted: true, available: available - wanted };
  }

  charge({ n, ...step }: Exclude<ReservationStep, { do: "reserve" | "expire" }>): Held | undefined {
    const one = this.all.get(n);
    if (one === undefined || one.state === "finalized") return one;
    one.used = Math.max(one.used, step.used);
    if (step.do === "renew") one.short = step.short;
    if (step.do === "abort") one.state = "released";
    if (step.do === "finalize") one.state = "finalized";
    return one;
  }

  /** Lets the short reservations expire. */
  expire(): void {
    for (const one of this.all.values()) if (one.state === "held" && one.short) one.state = "released";
  }
}

/** Makes the calls on real reservations and on the model, and asserts equal results after each. */
export async function compareToModel(
  reservations: Reservations,
  steps: readonly ReservationStep[],
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  const model = new Model();
  const tag = crypto.randomUUID();
  for (const step of steps) {
    const [said, wanted] = await take(reservations, model, step, tag);
    expect(said, JSON.stringify(step)).toEqual(wanted);
    if ("short" in step && step.short) {
      await wait(4);
      model.expire();
    }
    for (const account of [0, 1]) {
      const balance = await reservations.balance(`${tag}/${account}`);
      expect(balance, JSON.stringify(step)).toEqual(model.balance(account));
    }
  }
}

/** Makes one call on both, and returns both results. */
async function take(reservations: Reservations, model: Model, step: ReservationStep, tag: string) {
  if (step.do === "expire") return [typeof (await reservations.expire()), "number"];
  const id = `${tag}:${step.n}`;
  const ttlMs = "short" in step && step.short ? 1 : 600_000;
  if (step.do === "reserve") {
    const { amount, limit } = step;
    const asked = reservations.reserve({ account: `${tag}/${step.account}`, id, amount, limit, ttlMs });
    const answer = await asked.catch((error: { code?: string }) => error.code);
    const wanted = model.reserve(step);
    return [answer, wanted === "refused" ? "invalid_input" : wanted];
  }
  const real =
    step.do === "renew"
      ? await reservations.renew(id, step.used, ttlMs)
      : await reservations[step.do](id, step.used);
  const wanted = model.charge(step);
  return [
    [real?.amount, real?.used, real?.state],
    [wanted?.amount, wanted?.used, wanted?.state],
  ];
}
