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
   * The time in milliseconds after which the reservation of a dead process expires. A live process renews at
   * a third of that time. Default: 300,000 (five minutes).
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

/** @throws PawlError `config` */
function checkReservation(options: ReservationOptions<never>): void {
  checkOptions("reservation()", options, OPTIONS, { instead: { store: "Use `reservations`." } });
  const { reservations, account, ttlMs = RESERVATION_TTL_MS, ...numbers } = options;
  const refuse = (what: string, wanted: string, given: unknown) => {
    throw new PawlError("config", `\`${what}\` of reservation() must be ${wanted}; got ${kindOf(given)}.`);
  };
  if (typeof reservations.reserve !== "function")
    refuse("reservations", "Reservations, e.g. memoryReservations()", reservations);
  if (typeof account !== "string" && typeof account !== "function")
    refuse("account", "a string or a function", account);
  for (const what of ["limit", "amount", "limitUsd", "amountUsd"] as const) {
    const given: unknown = numbers[what];
    if (given !== undefined && typeof given !== "number" && typeof given !== "function")
      refuse(what, "a number or a function", given);
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
    idempotent: true,
    needsPrices: limitUsd !== undefined,
    beforeTurn: async (_plan, context) => {
      const id = await idOf(context);
      // A run that still holds its reservation keeps it. Otherwise it reserves again, from the account that
      // it used first.
      const known = await renew(id, context);
      const wanted = known?.amount ?? (await budget.amount(context));
      if (known !== undefined && known.used >= wanted) return stop;
      if (known?.state !== "held") {
        const account = known?.account ?? (await resolved(accountOf, context));
        const request = { account, id, amount: wanted, limit: await budget.limit(context), ttlMs };
        const { granted } = await reservations.reserve(request);
        if (!granted) return stop;
        // The run was stopped during the reservation, so `afterRun` may already have been called.
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
      const settled = async () => await reservations.finalize(await idOf(context), budget.used(context.run));
      await finalizedInTime(clock, context.signal, settled());
    },
  };
}

/**
 * Returns whether another process continues the run. That process needs the same reservation, so it must
 * stay.
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
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new PawlError("store_unavailable", "The final charge of the budget took too long.");
  }
}

const QUOTA_EXCEEDED = "Your budget has no room left for this request.";

/** Repeats work at an interval, for each run separately, until the run leaves this process. */
function repeating(clock: Clock, everyMs: number) {
  const ends = new Map<string, () => void>();
  const end = ({ runId }: Pick<RunContext, "runId">) => ends.get(runId)?.();
  const begin = ({ runId, signal }: Pick<RunContext, "runId" | "signal">, work: () => Promise<unknown>) => {
    end({ runId });
    // A failed renewal is repeated at the next interval, and reported before the next turn.
    const cancel = every(clock, everyMs, () => void work().catch(() => undefined));
    const over = () => {
      cancel();
      signal.removeEventListener("abort", over);
      if (ends.get(runId) === over) ends.delete(runId);
    };
    ends.set(runId, over);
    if (signal.aborted) over();
    else signal.addEventListener("abort", over, { once: true });
  };
  return { begin, end };
}
