import { type JsonObject, PawlError, type Runtime, type Session } from "@pawl/core";
import { ownSession } from "./own-session.ts";

/** Whose session, and by which name it is asked for. */
export interface SessionName {
  userId: string;
  agent: string;
  sessionId?: string;
  /** The client's own name for it, or its id. */
  threadId?: string;
}

/**
 * The session of that name, if there is one. A name that is not the id of one of the user's own sessions with
 * this agent is the user's own name: nobody reaches anybody else's session by it, or learns that there is
 * one.
 *
 * @throws PawlError `not_found` for a `sessionId` that is not the user's.
 */
export async function findSession(runtime: Runtime, name: SessionName): Promise<Session | undefined> {
  const { userId, agent, sessionId, threadId } = name;
  if (sessionId !== undefined) return await ownSession(runtime, agent, userId, sessionId);
  if (threadId === undefined) return undefined;
  const named = await runtime.store.sessions.get(threadId);
  if (named?.userId === userId && named.agent === agent) return named;
  return await runtime.store.sessions.get(await sessionIdOf(userId, agent, threadId));
}

/** The session of that name, which begins now if it has not yet. */
export async function openThread(
  runtime: Runtime,
  { userId, agent, threadId }: SessionName & { threadId: string },
  metadata: JsonObject = {},
): Promise<Session> {
  const id = await sessionIdOf(userId, agent, threadId);
  try {
    return await runtime.store.sessions.create({ id, userId, agent, metadata });
  } catch (error) {
    const known = PawlError.is(error, "conflict") ? await runtime.store.sessions.get(id) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}

/** The session's id follows from the name and its user: the same request, sent twice, begins one session. */
async function sessionIdOf(userId: string, agent: string, threadId: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(["thread", agent, userId, threadId]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
