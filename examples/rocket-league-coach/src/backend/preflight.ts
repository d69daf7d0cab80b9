import { randomUUID } from "node:crypto";
import { PawlError } from "@pawl/core";
import { reservationIdOf } from "../base/reservation-id.ts";
import { claimPreview, messagesOf, openTurn, ownerOf, returnPreview, turnOf } from "../data/index.ts";
import { instructions } from "../prompt/instructions.ts";
import { accountOf, type ChatParts, LEAST_TOKENS, remainingOf } from "./parts.ts";
import { refused } from "./refused.ts";
import type { PreflightBody } from "./schemas.ts";
import { setAside } from "./set-aside.ts";

/** The reservation of a request. */
interface Reserved {
  /** How many tokens are set aside. */
  amount: number;
  isFreePreview: boolean;
}

/**
 * Prepares a request: checks the session, sets tokens aside and stores the session and the turn. Nothing is
 * stored if the budget is spent. A request that is repeated with its `request_id` reserves once.
 */
export async function preflight(parts: ChatParts, userId: string, body: PreflightBody) {
  const { db, reservations, now } = parts;
  const { message, request_id = randomUUID(), replay_id: replayId } = body;
  const reservationId = reservationIdOf(userId, request_id);
  const known = await turnOf(db, reservationId);
  const sessionId = body.session_id ?? body.new_session_id ?? known?.session_id ?? randomUUID();
  await checkSession(parts, userId, body, sessionId);
  if (known !== undefined && (known.session_id !== sessionId || known.state === "recorded"))
    throw refused("conflict", "This request_id belongs to a request that is over. Use a new one.");
  await reservations.expire();
  const preview = known?.is_free_preview;
  const { amount, isFreePreview } = await reserve(parts, userId, reservationId, preview);
  const turn = { reservationId, sessionId, userId, isFreePreview, title: titleOf(message), replayId };
  if ((await openTurn(db, turn, now())) !== sessionId) {
    await reservations.abort(reservationId, 0);
    throw noSession(sessionId);
  }
  const stored = await messagesOf(db, sessionId);
  return {
    session_id: sessionId,
    reservation_id: reservationId,
    estimated_tokens: amount,
    budget_remaining: await remainingOf(parts, userId),
    is_free_preview: isFreePreview,
    history: stored
      .filter(({ content_blocks }) => content_blocks.length > 0)
      .map(({ role, content_blocks }) => ({ role, content: content_blocks })),
    system_message: instructions,
  };
}

async function checkSession({ db }: ChatParts, userId: string, body: PreflightBody, sessionId: string) {
  const owner = await ownerOf(db, sessionId);
  const isMissing = owner === undefined && body.session_id !== undefined;
  if (isMissing || (owner !== undefined && owner !== userId)) throw noSession(sessionId);
}

/**
 * Sets tokens aside: from the user's budget, or for a user's first request without one from the free preview.
 *
 * @throws a response 402 if neither has room
 */
async function reserve(
  parts: ChatParts,
  userId: string,
  id: string,
  preview: boolean | undefined,
): Promise<Reserved> {
  if (preview !== true) {
    const amount = await reserveFrom(parts, userId, id, false);
    if (amount !== undefined) return { amount, isFreePreview: false };
  }
  const { db, ttlMs } = parts;
  const now = parts.now();
  const mayPreview = preview ?? (await isWithoutBudget(parts, userId));
  if (mayPreview && (await claimPreview(db, userId, id, { now, lostBefore: now - ttlMs }))) {
    const amount = await reserveFrom(parts, userId, id, true);
    if (amount !== undefined) return { amount, isFreePreview: true };
    await returnPreview(db, userId, id);
  }
  const remaining = await remainingOf(parts, userId);
  const message = "Your token budget is used up, or other requests of yours are using the rest of it.";
  throw refused("quota_exceeded", message, { budget_remaining: remaining });
}

/** Returns whether a user has no budget in this period, and so may have the free preview. */
async function isWithoutBudget(parts: ChatParts, userId: string): Promise<boolean> {
  const { limit } = await accountOf(parts, userId, false);
  return parts.previewTokens > 0 && limit < LEAST_TOKENS;
}

/** Sets the estimate aside, or what the account has left if that is less. */
async function reserveFrom(
  parts: ChatParts,
  userId: string,
  id: string,
  isFreePreview: boolean,
): Promise<number | undefined> {
  const to = await accountOf(parts, userId, isFreePreview);
  const wanted = { ...to, id, used: 0, more: parts.estimatedTokens };
  return await setAside(parts, wanted).catch(closedBefore);
}

function closedBefore(error: unknown): never {
  if (!PawlError.is(error, "invalid_input")) throw error;
  throw refused("conflict", "This request_id belongs to a request that is over. Use a new one.");
}

function noSession(sessionId: string) {
  return refused("not_found", `You have no session ${JSON.stringify(sessionId.slice(0, 100))}.`);
}

/** Returns the beginning of a session's first message, as its title. */
function titleOf(message: string): string {
  const [line = ""] = message.trim().split("\n");
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}
