import { type Clock, systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import { isName } from "../log/storable.ts";
import { RESERVATION_TTL_MS, type Reservations } from "../reservations/reservations.ts";
import { retryingReservations } from "../reservations/retrying-reservations.ts";
import type { Awaitable, Hook, RunContext } from "./hook.ts";
import { reservedAmount, resolved } from "./reserved-amount.ts";

/** A budget in tokens (`limit`, `amount`) or US dollars (`limitUsd`, `amountUsd`), and how it is reserved. */
export type ReservationOptions<Deps = unknown> = {
  /** Unique among the agent's hooks, and a part of the reservations' ids. */
  name?: string;
  reservations: Reservations;
  /** Whose budget; asked for when the run first reserves, and the same to its end. */
  account: string | ((context: RunContext<Deps>) => Awaitable<string>);
  /**
   * How long a reservation outlives its process, in milliseconds; it is renewed at a third of that. Default:
   * five minutes.
   */
  ttlMs?: number;
  /**
   * Pauses after which a call is made again when the reservations were unavailable, in milliseconds; default
   * 50 and 250.
   */
  retryMs?: readonly number[];
  /** What the user reads when nothing is granted. An agent's `stopMessages.quota_exceeded` goes before it. */
  message?: string;
  /** The runtime's, where that is not the machine's. */
  clock?: Clock;
} & (
  | {
      /** How large the budget is, in tokens: all of every prompt and every answer. */
      limit: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** How many tokens of it a run may use. */
      amount: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limitUsd?: never;
      amountUsd?: never;
    }
  | {
      /** How large the budget is, in US dollars. Needs a model with prices. */
      limitUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      /** How much of it a run may use, in US dollars. */
      amountUsd: number | ((context: RunContext<Deps>) => Awaitable<number>);
      limit?: never;
      amount?: never;
    }
);

/**
 * Lets a run begin only if its user's budget has room for it. `amount` (or `amountUsd`) is set aside
 * before the first model call; if it is not granted, the run ends as `quota_exceeded` without any. Before
 * every turn the budget is charged with what the run has used so far; a run that has used `amount` up makes
 * no further turn and ends the same way. When it ends, however it does and in whatever process, it is charged
 * with what the log says it has used, once, and the rest is given back.
 *
 * A turn may use more than is left of `amount`, and is charged nevertheless. So that no run does, give the
 * agent `limits` on tokens or costs that are not above it.
 *
 * A run that waits for its user has paid for what it did and holds nothing. When it goes on it reserves the
 * rest again, and ends if there is no room any more. Tasks that the agent gives to others are counted with
 * it: their agents need no such hook.
 *
 * @throws PawlError `config` for an unknown option, a missing amount or limit, or an amount of money that is
 * not a number from 0. `store_unavailable` is the run's: it rejects, and is recovered when the budget can be
 * asked again.
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
      // What is held stays; what is not, is reserved again, in the account in which it was first.
      const known = await renew(id, context);
      const wanted = known?.amount ?? (await budget.amount(context));
      if (known !== undefined && known.used >= wanted) return stop;
      if (known?.state !== "held") {
        const account = known?.account ?? (await resolved(accountOf, context));
        const request = { account, id, amount: wanted, limit: await budget.limit(context), ttlMs };
        const { granted } = await reservations.reserve(request);
        if (!granted) return stop;
        // The run did not wait for this grant, and `afterRun` may have passed already.
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

/** Whether the run's next leg, in any process, needs this leg's reservation, which has the same id. */
function goesOnElsewhere({ reason }: AbortSignal): boolean {
  return PawlError.is(reason, "fenced") || PawlError.is(reason, "draining");
}

/**
 * A budget that does not answer in time was unavailable: the run's end is left to recovery, and not
 * uncharged.
 */
async function finalizedInTime(clock: Clock, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  try {
    await withinDeadline({ clock, signal }, work);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new PawlError("store_unavailable", "The budget has not answered in time.");
  }
}

const QUOTA_EXCEEDED = "Your budget has no room left for this request.";

/**
 * Does something every so many milliseconds, for one run after the other, as long as the run's leg is at
 * work.
 */
function repeating(clock: Clock, everyMs: number) {
  const ends = new Map<string, () => void>();
  const end = ({ runId }: Pick<RunContext, "runId">) => ends.get(runId)?.();
  const begin = ({ runId, signal }: Pick<RunContext, "runId" | "signal">, work: () => Promise<unknown>) => {
    end({ runId });
    const next = () =>
      clock.after(everyMs, () => {
        // What fails is tried again, or seen before the next turn.
        work().catch(() => undefined);
        cancel = next();
      });
    let cancel = next();
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
