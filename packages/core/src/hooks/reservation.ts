import { type Clock, every, systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import { isName } from "../log/storable.ts";
import { RESERVATION_TTL_MS, type Reservations } from "../reservations/reservations.ts";
import { retryingReservations } from "../reservations/retrying-reservations.ts";
import type { Awaitable, Hook, RunContext } from "./hook.ts";
import { reservedAmount, resolved } from "./reserved-amount.ts";

/**
 * Options of `reservation()`: a budget in tokens (`limit`, `amount`) or US dollars (`limitUsd`, `amountUsd`),
 * and how it is reserved.
 */
export type ReservationOptions<Deps = unknown> = {
  /** Unique among the agent's hooks. Part of the reservations' ids. Default: "reservation". */
  name?: string;
  /** Where the budgets are kept, e.g. `memoryReservations()`. */
  reservations: Reservations;
  /**
   * The account whose budget is used. A function is called when the run first reserves; its answer then holds
   * for the whole run.
   */
  account: string | ((context: RunContext<Deps>) => Awaitable<string>);
  /**
   * How long a reservation outlives its process, in milliseconds. It is renewed at a third of that time.
   * Default: 300,000 (five minutes).
   */
  ttlMs?: number;
  /**
   * Pauses before each retry of a call that failed because the reservations were unavailable, in
   * milliseconds. Default: `[50, 250]`.
   */
  retryMs?: readonly number[];
  /**
   * Message for the user when the budget has no room. The agent's `stopMessages.quota_exceeded` overrides it.
   */
  message?: string;
  /** The clock that times renewals; pass the runtime's if it has one of its own. Default: the machine's. */
  clock?: Clock;
} & (
  | {
      /** The size of the budget in tokens. All tokens of every prompt and every answer count. */
      limit: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** How many of these tokens one run may use. */
      amount: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limitUsd?: never;
      amountUsd?: never;
    }
  | {
      /** The size of the budget in US dollars. The model must have prices. */
      limitUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** How many of these dollars one run may use. */
      amountUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limit?: never;
      amount?: never;
    }
);

/**
 * Lets a run begin only if a shared budget, e.g. a user's month, has room for it. `amount` (or `amountUsd`)
 * is set aside before the first model call. If it is not granted, the run ends as `quota_exceeded` without
 * calling the model. Before every turn, the budget is charged with what the run has used so far; a run that
 * has used up `amount` ends as `quota_exceeded` before its next turn. When the run ends, however and in
 * whatever process, the budget is charged once with what the log says it has used, and the rest is given
 * back.
 *
 * A turn may use more than is left of `amount`, and is charged in full. To prevent that, give the agent
 * `limits` on tokens or cost that are not above `amount`.
 *
 * A run that waits for its user has paid for what it used and holds nothing. When it resumes it reserves the
 * rest again, and ends if there is no room. Tasks for sub-agents count for the calling run: their agents need
 * no such hook.
 *
 * @throws PawlError `config` for an unknown option, a missing amount or limit, or an amount of money that is
 * not a number from 0. If the budget is unavailable, the run rejects with `store_unavailable` and is
 * recovered later.
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
export function reservation<Deps = unknown>({
  name = "reservation",
  reservations: port,
  account: accountOf,
  ttlMs = RESERVATION_TTL_MS,
  retryMs = [50, 250],
  message = QUOTA_EXCEEDED,
  clock = systemClock,
  limit,
  amount,
  limitUsd,
  amountUsd,
  ...unknown
}: ReservationOptions<Deps>): Hook<Deps> {
  const [misspelt] = Object.keys(unknown);
  if (misspelt !== undefined) throw new PawlError("config", `reservation() has no option "${misspelt}".`);
  const reservations = retryingReservations(port, retryMs);
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
    beforeTurn: async (_plan, context) => {
      const id = await idOf(context);
      // A reservation that is held stays. Otherwise the run reserves again, in the account of its first
      // reservation.
      const known = await renew(id, context);
      const wanted = known?.amount ?? (await budget.amount(context));
      if (known !== undefined && known.used >= wanted) return stop;
      if (known?.state !== "held") {
        const account = known?.account ?? (await resolved(accountOf, context));
        const request = { account, id, amount: wanted, limit: await budget.limit(context), ttlMs };
        const { granted } = await reservations.reserve(request);
        if (!granted) return stop;
        // The run was stopped while it waited for the grant, so `afterRun` may have been called already.
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

/** Whether the run continues in another process, whose leg needs this reservation: it has the same id. */
function goesOnElsewhere({ reason }: AbortSignal): boolean {
  return PawlError.is(reason, "fenced") || PawlError.is(reason, "draining");
}

/**
 * Waits for the final charge. If it does not settle in time, the budget counts as unavailable, so that the
 * run is recovered and not left uncharged.
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

/** Repeats work at an interval for each run while the run's leg is running. */
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
