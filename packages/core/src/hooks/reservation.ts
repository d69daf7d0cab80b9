import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { type Clock, every, systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import { isName } from "../log/storable.ts";
import { RESERVATION_TTL_MS, type Reservations } from "../reservations/reservations.ts";
import type { Awaitable, Hook, RunContext } from "./hook.ts";
import { reservedAmount, resolved, retryingReservations } from "./reserved-amount.ts";

/**
 * Options of `reservation()`. Give the budget in tokens (`limit` and `amount`) or in US dollars (`limitUsd`
 * and `amountUsd`).
 */
export type ReservationOptions<Deps = unknown> = {
  /**
   * The hook's name, unique among the agent's hooks. The ids of its reservations contain it. Default:
   * "reservation".
   */
  name?: string;
  /** The service that keeps the budgets, e.g. `memoryReservations()`. */
  reservations: Reservations;
  /**
   * The account to charge. A function is called when the run first reserves, and its value is used for the
   * whole run.
   */
  account: string | ((context: RunContext<Deps>) => Awaitable<string>);
  /**
   * The time in milliseconds after which the reservation of a dead process expires. A live process renews the
   * reservation three times as often. Default: 300,000 (five minutes).
   */
  ttlMs?: number;
  /**
   * Pauses before each retry when the reservations are unavailable, in milliseconds. Default: `[50, 250]`.
   */
  retryMs?: readonly number[];
  /**
   * The message for the user when the budget is used up. The agent's `stopMessages.quota_exceeded` takes
   * precedence.
   */
  message?: string;
  /** The clock for renewals. Pass the runtime's clock if you gave it one. Default: the system clock. */
  clock?: Clock;
} & (
  | {
      /** The account's whole budget in tokens. All tokens of prompts and answers count. */
      limit: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** The number of tokens that one run may use. */
      amount: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limitUsd?: never;
      amountUsd?: never;
    }
  | {
      /**
       * The account's whole budget in US dollars. All models that a run may call must have prices, also
       * fallbacks and those of sub-agents: `agent()` throws `config` otherwise.
       */
      limitUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** The amount in US dollars that one run may use. */
      amountUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limit?: never;
      amount?: never;
    }
);

const OPTIONS: OptionKinds<ReservationOptions> = {
  name: "string",
  reservations: "object!",
  account: "any!",
  limit: "any",
  amount: "any",
  limitUsd: "any",
  amountUsd: "any",
  ttlMs: "number",
  retryMs: "list",
  message: "string",
  clock: "object",
};

/** Checks the options of `reservation()`, except money. @throws PawlError `config` */
function checkReservation(options: ReservationOptions<never>): void {
  checkOptions("reservation()", options, OPTIONS, { instead: { store: "Use `reservations`." } });
  const { reservations, account, ttlMs = RESERVATION_TTL_MS, ...numbers } = options;
  const refuse = (option: string, expected: string, value: unknown) => {
    throw new PawlError(
      "config",
      `\`${option}\` of reservation() must be ${expected}; got ${kindOf(value)}.`,
    );
  };
  if (typeof reservations.reserve !== "function")
    refuse("reservations", "Reservations, e.g. memoryReservations()", reservations);
  if (typeof account !== "string" && typeof account !== "function")
    refuse("account", "a string or a function", account);
  for (const option of ["limit", "amount", "limitUsd", "amountUsd"] as const) {
    const value: unknown = numbers[option];
    if (value !== undefined && typeof value !== "number" && typeof value !== "function")
      refuse(option, "a number or a function", value);
  }
  checkNumbers("reservation()", { ttlMs }, { least: 1, most: 2 ** 30 });
}

/**
 * Limits what several runs may use together, e.g. all runs of a user in a month.
 *
 * - Before its first model call, a run sets aside `amount` (or `amountUsd`) from the budget. If the budget
 *   has no room, the run ends as `quota_exceeded` and no model is called.
 * - Before every turn, the budget is charged with the run's use so far. A run that has used up its `amount`
 *   ends as `quota_exceeded`.
 * - When the run ends, in any process, the budget is charged once with the use in the log. The rest of
 *   `amount` is given back.
 *
 * A single turn may exceed `amount` and is charged in full. To prevent this, give the agent token or cost
 * `limits` of at most `amount`.
 *
 * A run that waits for the user's answer is charged for its use and gives the rest back. When it resumes, it
 * reserves again, and ends if the budget has no room. Sub-agents are charged to the run that called them, so
 * they need no hook of their own.
 *
 * @throws PawlError `config` if an option is unknown, `amount` or `limit` is missing, or an amount of money
 * is not a number from 0. If the reservations are unavailable during a run, `run.result` rejects with
 * `store_unavailable` and the run is recovered later.
 *
 * @example
 * ```ts
 * import { agent, memoryReservations, memoryStore, reservation, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const reservations = memoryReservations();
 * const budget = reservation({
 *   reservations,
 *   account: ({ userId }) => `${userId}/${new Date().toISOString().slice(0, 7)}`,
 *   limit: 100_000,
 *   amount: 60_000,
 * });
 * const model = strictModel({ script: [{ text: "Hello." }] });
 * const pawl = runtime({
 *   agents: [agent({ name: "a", model, instructions: "Be brief.", hooks: [budget] })],
 *   store: memoryStore(),
 * });
 * await reservations.reserve({
 *   account: `u/${new Date().toISOString().slice(0, 7)}`,
 *   id: "other",
 *   amount: 50_000,
 *   limit: 100_000,
 * });
 * console.log((await pawl.run("a", { userId: "u", input: "Hi" }).result).stop.type); // quota_exceeded
 * console.log(model.requests.length); // 0
 * ```
 */
export function reservation<Deps = unknown>(options: ReservationOptions<Deps>): Hook<Deps> {
  checkReservation(options);
  const { name = "reservation", reservations: port, account: accountOf, clock = systemClock } = options;
  const { ttlMs = RESERVATION_TTL_MS, retryMs = [50, 250], message = QUOTA_EXCEEDED } = options;
  const { limit, amount, limitUsd, amountUsd } = options;
  const reservations = retryingReservations(port, retryMs, clock);
  const budget = reservedAmount({ limit, amount, limitUsd, amountUsd });
  const stop = { stop: { type: "quota_exceeded", message } };
  const renewals = repeating(clock, ttlMs / 3);

  const idOf = async ({ sessionId, runId }: RunContext<Deps>) => {
    const id = `${name}:${runId}:${sessionId}`;
    return isName(id) ? id : await sha256(id);
  };
  const renew = async (id: string, { run }: RunContext<Deps>) =>
    await reservations.renew(id, budget.used(run), ttlMs);

  return {
    name,
    guards: true,
    idempotent: true,
    needsPrices: limitUsd !== undefined,
    beforeTurn: async (_plan, context) => {
      const id = await idOf(context);
      // Charges the run's use so far. `earlier` is the run's reservation, if it has made one.
      const earlier = await renew(id, context);
      const ownAmount = earlier?.amount ?? (await budget.amount(context));
      if (earlier !== undefined && earlier.used >= ownAmount) return stop;
      // A run that still holds its reservation keeps it. Otherwise it reserves, always from the same account.
      if (earlier?.state !== "held") {
        const account = earlier?.account ?? (await resolved(accountOf, context));
        const request = { account, id, amount: ownAmount, limit: await budget.limit(context), ttlMs };
        const { granted } = await reservations.reserve(request);
        if (!granted) return stop;
        // If the run was stopped during the reservation, `afterRun` may have been called before it.
        if (context.signal.aborted && !goesOnElsewhere(context.signal))
          await reservations.abort(id, budget.used(context.run));
      }
      renewals.begin(context, () => renew(id, context));
      return undefined;
    },
    onSuspend: async (context) => {
      renewals.end(context);
      await reservations.abort(await idOf(context), budget.used(context.run));
    },
    afterRun: async (_result, context) => {
      renewals.end(context);
      const finalize = async () => await reservations.finalize(await idOf(context), budget.used(context.run));
      await finalizedInTime(clock, context.signal, finalize());
    },
  };
}

/**
 * Returns whether the run was cut off because another process continues it. That process needs the run's
 * reservation.
 */
function goesOnElsewhere({ reason }: AbortSignal): boolean {
  return PawlError.is(reason, "fenced") || PawlError.is(reason, "draining");
}

/**
 * Waits for the final charge. After the deadline it throws `store_unavailable`, so that the run is recovered
 * and charged later.
 */
async function finalizedInTime(clock: Clock, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  try {
    await withinDeadline({ clock, signal }, work);
  } catch (error) {
    const isLate = signal.aborted && error === signal.reason;
    if (!isLate) throw error;
    throw new PawlError("store_unavailable", "The final charge of the budget took too long.");
  }
}

/** The default message for the user. */
const QUOTA_EXCEEDED = "Your budget has no room left for this request.";

/**
 * Returns `begin`, which repeats work for a run at an interval, and `end`, which ends that. The repetition
 * also ends when the run's signal aborts.
 */
function repeating(clock: Clock, everyMs: number) {
  const endByRun = new Map<string, () => void>();
  const end = ({ runId }: Pick<RunContext, "runId">) => endByRun.get(runId)?.();
  const begin = ({ runId, signal }: Pick<RunContext, "runId" | "signal">, work: () => Promise<unknown>) => {
    end({ runId });
    // Ignores a failed renewal: the next interval and the next turn renew again.
    const cancel = every(clock, everyMs, () => void work().catch(() => undefined));
    const endThis = () => {
      cancel();
      signal.removeEventListener("abort", endThis);
      if (endByRun.get(runId) === endThis) endByRun.delete(runId);
    };
    endByRun.set(runId, endThis);
    if (signal.aborted) endThis();
    else signal.addEventListener("abort", endThis, { once: true });
  };
  return { begin, end };
}
