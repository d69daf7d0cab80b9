import type { Runtime } from "@pawl/core";
import { sessionIdOfMessage } from "@pawl/core/store";
import type { Caller, Wanted } from "@pawl/sse";
import { COACH, reservationIdOf } from "../base/reservation-id.ts";
import type { BackendClient } from "./backend-client.ts";
import { BackendDown, responseTo } from "./backend-errors.ts";

/** What a request asks for, as far as the backend must know. */
export interface Asked {
  message: string;
  /** The session that the request names. */
  sessionId?: string;
  /** The client's id of the message, or a new one. */
  messageId: string;
  replayId?: string;
  /** The reservation, once it may have been made. */
  reserved?: Reserved;
}

interface Reserved {
  id: string;
  sessionId: string;
}

/** Asks the backend to prepare a message. Returns its refusal, e.g. 402. */
export async function admit(
  { runtime, backend }: { runtime: Runtime; backend: BackendClient },
  asked: Asked | undefined,
  { userId, credentials }: Caller,
  { begins, sessionId }: Wanted,
): Promise<Response | undefined> {
  if (begins !== "message" || asked === undefined) return undefined;
  const { message, messageId, replayId } = asked;
  const request_id = await requestIdOf(userId, sessionId, messageId);
  const new_session_id = sessionId ?? (await sessionIdOfMessage(COACH, userId, messageId));
  const { token } = credentials as { token: string };
  const reserved = { id: reservationIdOf(userId, request_id), sessionId: new_session_id };
  try {
    await backend.preflight(token, {
      message,
      new_session_id,
      request_id,
      ...(replayId !== undefined && { replay_id: replayId }),
    });
    asked.reserved = reserved;
    return undefined;
  } catch (error) {
    // It may have reserved, and its answer was lost. The user need not wait for a backend that fails.
    if (error instanceof BackendDown) void giveBack(runtime, backend, reserved);
    return responseTo(error);
  }
}

/**
 * Gives a reservation back, because the request begins no run. It stays if the same message, sent twice,
 * began one: then the run settles it.
 */
export async function giveBack(
  { store }: Runtime,
  backend: BackendClient,
  { id, sessionId }: Reserved,
): Promise<void> {
  try {
    const session = await store.sessions.get(sessionId);
    if (session === undefined || session.openRun === null)
      await backend.abort({ reservation_id: id, tokens_used: 0 });
  } catch {
    // It expires.
  }
}

/** Returns the id of a request: the same each time that the client sends the message. */
export async function requestIdOf(
  userId: string,
  sessionId: string | undefined,
  messageId: string,
): Promise<string> {
  return `${sessionId ?? (await sessionIdOfMessage(COACH, userId, messageId))}:${messageId}`;
}
