import { checkNumbers } from "../base/check-numbers.ts";
import type { Clock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { retryUnavailable } from "../base/try-again.ts";
import { microsFromUsd } from "../base/usd.ts";
import { promptTokens } from "../model/pricing.ts";
import type { Reservations } from "../reservations/reservations.ts";
import type { RunState } from "../session/state.ts";
import type { RunContext } from "./hook.ts";

/** A value, or a function that returns it for the run. */
type PerRun<T, Deps> = T | ((context: RunContext<Deps>) => T | Promise<T>);

/**
 * The numbers of a budget as the application gives them: `limit` and `amount`, or `limitUsd` and `amountUsd`.
 */
type GivenBudget<Deps> = {
  [name in "limit" | "amount" | "limitUsd" | "amountUsd"]: PerRun<number, Deps> | undefined;
};

/** The numbers of a budget as reservations count them: whole tokens, or whole millionths of a US dollar. */
interface ReservedAmount<Deps> {
  limit(context: RunContext<Deps>): Promise<number>;
  amount(context: RunContext<Deps>): Promise<number>;
  /** Returns the run's use so far, over all its legs. */
  used(run: Readonly<RunState>): number;
}

/**
 * Returns functions that compute the numbers of a budget for a run, in tokens or in millionths of a US
 * dollar.
 *
 * @throws PawlError `config` unless both numbers are given in one unit. An amount of money must be a number
 * from 0.
 */
export function reservedAmount<Deps>(budget: GivenBudget<Deps>): ReservedAmount<Deps> {
  const { limit, amount, limitUsd, amountUsd } = budget;
  const inTokens = limit !== undefined && amount !== undefined;
  const inUsd = limitUsd !== undefined && amountUsd !== undefined;
  const names = Object.entries(budget).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (inTokens && names.length === 2)
    return {
      limit: (context) => resolved(limit, context),
      amount: (context) => resolved(amount, context),
      used: ({ usage }) => Math.round(promptTokens(usage) + usage.outputTokens),
    };
  if (inUsd && names.length === 2)
    return {
      limit: micros("limitUsd", limitUsd),
      amount: micros("amountUsd", amountUsd),
      used: ({ costUsd }) => Math.round(microsFromUsd(costUsd)),
    };
  throw new PawlError(
    "config",
    "reservation() needs `limit` and `amount` in tokens, or `limitUsd` and `amountUsd` in US dollars; " +
      `got ${names.join(", ") || "none of them"}.`,
  );
}

/** Returns a value, or calls the function that computes it for the run. */
export async function resolved<T extends string | number, Deps>(
  value: PerRun<T, Deps>,
  context: RunContext<Deps>,
): Promise<T> {
  return typeof value === "function" ? await value(context) : value;
}

/**
 * Returns a function that computes an amount of money for a run, in millionths of a US dollar. A fixed amount
 * is checked at once, a function's value when the run starts.
 */
function micros<Deps>(
  name: string,
  usd: PerRun<number, Deps>,
): (context: RunContext<Deps>) => Promise<number> {
  const checkedMicros = (value: number) => {
    checkNumbers("reservation()", { [name]: value }, { most: MOST_USD });
    return Math.round(microsFromUsd(value));
  };
  if (typeof usd !== "function") checkedMicros(usd);
  return async (context) => checkedMicros(await resolved(usd, context));
}

/** The largest amount of a budget, in US dollars. */
const MOST_USD = 1_000_000_000;

/** The methods of `Reservations` that a run calls. */
type ReservationCalls = Pick<Reservations, "reserve" | "renew" | "abort" | "finalize">;

/**
 * Wraps reservations so that every call is retried while their store is unavailable. `delaysMs` are the
 * delays between the attempts, in milliseconds.
 */
export function retryingReservations(
  reservations: Reservations,
  delaysMs: readonly number[],
  clock: Clock,
): ReservationCalls {
  const retried = <T>(call: () => Promise<T>) => retryUnavailable(clock, delaysMs, call);
  return {
    reserve: (request) => retried(() => reservations.reserve(request)),
    renew: (id, used, ttlMs) => retried(() => reservations.renew(id, used, ttlMs)),
    abort: (id, used) => retried(() => reservations.abort(id, used)),
    finalize: (id, used) => retried(() => reservations.finalize(id, used)),
  };
}
