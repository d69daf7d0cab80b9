import { closeTurn, openTurns, returnPreview, type Turn, turnOf } from "../data/index.ts";
import { accountOf, type ChatParts, remainingOf } from "./parts.ts";
import { refused } from "./refused.ts";
import type { AbortBody, RecordBody, RenewBody } from "./schemas.ts";
import { setAside } from "./set-aside.ts";

/**
 * Charges what a run has used so far and holds its reservation for longer. With `again`, a reservation that
 * was released, e.g. by expiry, is made again, and one that is used up is made larger, if the budget has
 * room.
 */
export async function renew(parts: ChatParts, body: RenewBody) {
  const { reservations, ttlMs, estimatedTokens } = parts;
  const turn = await turnFor(parts, body);
  const id = turn.reservation_id;
  const now = await reservations.renew(id, body.tokens_used, ttlMs);
  if (now === undefined) throw noReservation();
  let { amount } = now;
  let held = now.state === "held";
  const isUsedUp = now.used >= amount;
  // Not for a renewal that was on its way while the run ended: it would hold what is not needed any more.
  if (body.again && (now.state === "released" || (held && isUsedUp))) {
    const { account, used } = now;
    if (held) await reservations.abort(id, used);
    const { limit } = await accountOf(parts, turn.user_id, turn.is_free_preview);
    const more = isUsedUp ? estimatedTokens : amount - used;
    const granted = await setAside(parts, { account, limit, id, used, more });
    held = granted !== undefined;
    amount = granted ?? amount;
  }
  return {
    held,
    tokens_used: now.used,
    estimated_tokens: amount,
    ttl_ms: ttlMs,
    budget_remaining: await remainingOf(parts, turn.user_id),
  };
}

/**
 * Closes a turn: charges what its run has used, once, gives the rest back, and stores its messages. A call
 * that is repeated changes nothing.
 */
export async function record(parts: ChatParts, body: RecordBody) {
  const { db, reservations, now } = parts;
  const turn = await turnFor(parts, body);
  const reservationId = turn.reservation_id;
  // The charge comes first: if this process dies in between, the repeated call finds what was charged.
  const charged = await reservations.finalize(reservationId, body.tokens_used);
  if (charged === undefined) throw noReservation();
  const tokensUsed = charged.used;
  await closeTurn(
    db,
    { reservationId, state: "recorded", tokensUsed, messages: body.messages, begunAt: body.begun_at },
    now(),
  );
  const budget_remaining = await remainingOf(parts, turn.user_id);
  return { recorded: true, tokens_used: tokensUsed, budget_remaining };
}

/**
 * Charges what a stopped run has used, gives the rest back at once, and stores the messages that it has. A
 * run that resumes reserves again by `renew()`, unless the abort was final.
 */
export async function abort(parts: ChatParts, body: AbortBody) {
  const { db, reservations, now } = parts;
  const turn = await turnFor(parts, body);
  const reservationId = turn.reservation_id;
  const charged = await reservations[body.final ? "finalize" : "abort"](reservationId, body.tokens_used);
  if (charged === undefined) throw noReservation();
  const tokensUsed = charged.used;
  const messages = body.partial_messages;
  await closeTurn(
    db,
    {
      reservationId,
      state: body.final ? "recorded" : "aborted",
      tokensUsed,
      messages,
      begunAt: body.begun_at,
    },
    now(),
  );
  if (turn.is_free_preview && tokensUsed === 0) await returnPreview(db, turn.user_id, reservationId);
  const budget_remaining = await remainingOf(parts, turn.user_id);
  return { aborted: true, tokens_used: tokensUsed, budget_remaining };
}

/** Returns turns that should be over by now and were not settled, the oldest first. */
export async function unsettled({ db, ttlMs, now }: ChatParts) {
  return { turns: await openTurns(db, now() - ttlMs) };
}

async function turnFor(
  { db }: ChatParts,
  { reservation_id, session_id }: Pick<RecordBody, "reservation_id" | "session_id">,
): Promise<Turn> {
  const turn = await turnOf(db, reservation_id);
  if (turn === undefined) throw noReservation();
  if (session_id !== undefined && session_id !== turn.session_id)
    throw refused("conflict", "The reservation belongs to another session.");
  return turn;
}

function noReservation() {
  return refused("not_found", "There is no such reservation. Call chat/preflight first.");
}
