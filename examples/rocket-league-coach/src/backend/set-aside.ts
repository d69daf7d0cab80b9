import { type ChatParts, LEAST_TOKENS } from "./parts.ts";

/** A reservation to be made, or made again. */
export interface Wanted {
  account: string;
  limit: number;
  id: string;
  /** How many tokens the request has used so far. */
  used: number;
  /** How many tokens to set aside for what follows. */
  more: number;
}

/**
 * Sets tokens aside for a request, or what the account has left if that is less. Another request may take it
 * in the meantime, so a refusal is tried again with what is left then. Returns the whole amount with what was
 * used before, or `undefined` if the account has no room.
 */
export async function setAside(
  { reservations, ttlMs }: ChatParts,
  { account, limit, id, used, more }: Wanted,
): Promise<number | undefined> {
  let amount = used + more;
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const { granted, available } = await reservations.reserve({ account, id, amount, limit, ttlMs });
    if (granted) return (await reservations.renew(id, used, ttlMs))?.amount ?? amount;
    if (available < LEAST_TOKENS) return undefined;
    amount = used + Math.min(more, available);
  }
  return undefined;
}
