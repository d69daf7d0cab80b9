import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import type { Caller } from "../session/caller.ts";
import type { HandlerOptions } from "./handler-options.ts";

/**
 * Options of `admitReservation()`. Give the same budget as to `reservation()`: in tokens (`limit` and
 * `amount`) or in US dollars (`limitUsd` and `amountUsd`).
 */
export interface AdmitReservationOptions {
  /** The service that keeps the budgets. */
  reservations: Pick<Reservations, "balance">;
  /** Returns the account of a caller. It must be the account that `reservation()` charges. */
  account(caller: Caller): string | Promise<string>;
  /** The account's whole budget in tokens. */
  limit?: number | ((caller: Caller) => number | Promise<number>);
  /** The number of tokens that one run may use. */
  amount?: number | ((caller: Caller) => number | Promise<number>);
  /** The account's whole budget in US dollars. */
  limitUsd?: number | ((caller: Caller) => number | Promise<number>);
  /** The amount in US dollars that one run may use. */
  amountUsd?: number | ((caller: Caller) => number | Promise<number>);
  /** The message of the response. Default: "Your budget has no room left for this request." */
  message?: string;
}

const OPTIONS: OptionKinds<AdmitReservationOptions> = {
  reservations: "object!",
  account: "function!",
  limit: "any",
  amount: "any",
  limitUsd: "any",
  amountUsd: "any",
  message: "string",
};

/**
 * Returns an `admit` for `handler()`: answers 402 with the code `quota_exceeded`, before anything is stored,
 * if a budget has no room for another run. It sets nothing aside: two requests at the same moment may both be
 * admitted. The hook `reservation()` then lets one of them run. Answers to questions are always admitted.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { memoryReservations } from "@pawl/core";
 * import { admitReservation } from "@pawl/sse";
 *
 * const admit = admitReservation({
 *   reservations: memoryReservations(),
 *   account: ({ userId }) => userId,
 *   limit: 1_000,
 *   amount: 5_000,
 * });
 * const request = new Request("http://localhost/runs", { method: "POST" });
 * const response = await admit(request, { userId: "ada" }, { begins: "message" });
 * console.log(response?.status); // 402
 * ```
 */
export function admitReservation(options: AdmitReservationOptions): NonNullable<HandlerOptions["admit"]> {
  checkOptions("admitReservation()", options, OPTIONS);
  const { reservations, account, limit, amount, limitUsd, amountUsd, message = QUOTA_EXCEEDED } = options;
  const inTokens = limit !== undefined && amount !== undefined;
  const inUsd = limitUsd !== undefined && amountUsd !== undefined;
  if (inTokens === inUsd)
    throw new PawlError(
      "config",
      "admitReservation() needs `limit` and `amount` in tokens, or `limitUsd` and `amountUsd` in US dollars.",
    );
  const unit = inUsd ? MICROS : 1;
  return async (_request, caller, { begins }) => {
    if (begins === "answers") return undefined;
    const { used, held } = await reservations.balance(await account(caller));
    const whole = await per(caller, (inUsd ? limitUsd : limit) ?? 0);
    const one = await per(caller, (inUsd ? amountUsd : amount) ?? 0);
    if (used + held + Math.round(one * unit) <= Math.round(whole * unit)) return undefined;
    const body = { error: { code: "quota_exceeded", message } };
    return Response.json(body, { status: 402, headers: { "cache-control": "no-store" } });
  };
}

const QUOTA_EXCEEDED = "Your budget has no room left for this request.";

/** Reservations count money in millionths of a US dollar. */
const MICROS = 1_000_000;

async function per(
  caller: Caller,
  value: number | ((caller: Caller) => number | Promise<number>),
): Promise<number> {
  return typeof value === "function" ? await value(caller) : value;
}
