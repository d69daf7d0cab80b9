import { usdFromMicros } from "../base/usd.ts";
import type { Reservations } from "./reservations.ts";

/** The {@link Balance} of an account in US dollars. */
export interface BalanceUsd {
  usedUsd: number;
  heldUsd: number;
}

/**
 * Returns the balance of an account in US dollars. The account must count money in millionths of a US
 * dollar, as `reservation({ limitUsd, amountUsd })` does.
 *
 * @throws PawlError `invalid_input`, `store_unavailable`
 *
 * @example
 * ```ts
 * import { memoryReservations } from "@pawl/core";
 * import { balanceUsd } from "@pawl/core/store";
 *
 * console.log(await balanceUsd(memoryReservations(), "user-1/2026-11")); // { usedUsd: 0, heldUsd: 0 }
 * ```
 */
export async function balanceUsd(reservations: Reservations, account: string): Promise<BalanceUsd> {
  const { used, held } = await reservations.balance(account);
  return { usedUsd: usdFromMicros(used), heldUsd: usdFromMicros(held) };
}
