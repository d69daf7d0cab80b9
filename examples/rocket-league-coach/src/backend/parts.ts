import type { Reservations } from "@pawl/core/store";
import type { Database } from "@pawl/postgres";

/** A user's budget. */
export interface TokenBudget {
  /** How many tokens the user may use in the period. */
  tokens: number;
  /** Names the period, e.g. `2026-11`: a new period is a new account. */
  period: string;
}

/** What the routes of the chat work with. */
export interface ChatParts {
  db: Database;
  reservations: Reservations;
  budgetOf(userId: string): TokenBudget | Promise<TokenBudget>;
  /** How many tokens a request sets aside, if the budget has them. */
  estimatedTokens: number;
  /** How many tokens the first request of a user without a budget may use. 0: none. */
  previewTokens: number;
  /** How long a reservation is held without a renewal, in milliseconds. */
  ttlMs: number;
  now(): number;
}

/** The fewest tokens that a request can be answered with. A budget with less counts as spent. */
export const LEAST_TOKENS = 2_000;

/** Returns the name and the limit of the account that a user's requests are charged to. */
export async function accountOf(
  { budgetOf, previewTokens }: ChatParts,
  userId: string,
  isFreePreview: boolean,
): Promise<{ account: string; limit: number }> {
  const user = encodeURIComponent(userId);
  if (isFreePreview) return { account: `rl-coach/${user}/preview`, limit: previewTokens };
  const { tokens, period } = await budgetOf(userId);
  return { account: `rl-coach/${user}/${period}`, limit: tokens };
}

/** Returns how many tokens a user's budget has left. */
export async function remainingOf(parts: ChatParts, userId: string, isFreePreview = false): Promise<number> {
  const { account, limit } = await accountOf(parts, userId, isFreePreview);
  const { used, held } = await parts.reservations.balance(account);
  return Math.max(0, limit - used - held);
}
