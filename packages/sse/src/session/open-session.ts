import { PawlError, type Runtime, type Session } from "@pawl/core";
import { createOnce, sessionIdOfMessage } from "@pawl/core/store";
import type { Begin } from "../dialects/base/dialect.ts";
import { ownSession } from "./own-session.ts";

/** The user and agent of a session, and the id or name under which it is requested. */
export interface SessionName {
  userId: string;
  agent: string;
  sessionId?: string;
  /** The client's own name for the session, or the session's id. */
  threadId?: string;
}

/**
 * Returns the session of that id or name, if it exists. A `threadId` that is not the id of one of the user's
 * sessions with this agent counts as the user's own name. So no user can reach another user's session, or
 * find out that it exists.
 *
 * @throws PawlError `not_found` for a `sessionId` that is not the user's.
 */
export async function findSession(runtime: Runtime, name: SessionName): Promise<Session | undefined> {
  const { userId, agent, sessionId, threadId } = name;
  if (sessionId !== undefined) return await ownSession(runtime, agent, userId, sessionId);
  if (threadId === undefined) return undefined;
  const { sessions } = runtime.store;
  // Both at once, because the user waits for them.
  const [byId, byName] = await Promise.all([
    sessions.get(threadId),
    sessionIdOf(userId, agent, threadId).then((id) => sessions.get(id)),
  ]);
  return byId?.userId === userId && byId.agent === agent ? byId : byName;
}

/**
 * Returns the id of the session that a message begins, or has begun if it was sent before. It is derived
 * from the message's client id. Returns `undefined` for a request that names its session, and for any other
 * request.
 */
export async function firstSessionId(
  { userId, agent, sessionId, threadId }: SessionName,
  begin: Begin,
): Promise<string | undefined> {
  if (sessionId !== undefined || threadId !== undefined) return undefined;
  if (!("input" in begin) || begin.clientMessageId === undefined) return undefined;
  return await sessionIdOfMessage(agent, userId, begin.clientMessageId);
}

/**
 * Begins a run in the user's session of that name. Creates the session if it does not exist. A message that
 * `run()` may refuse is first sent to the session that does not exist yet: `run()` checks it before it looks
 * for the session, so a refused message leaves no empty session.
 */
export async function beginInThread<Run>(
  runtime: Runtime,
  { userId, agent, threadId }: SessionName & { threadId: string },
  begin: Begin,
  run: (sessionId: string) => Promise<Run>,
): Promise<Run> {
  const id = await sessionIdOf(userId, agent, threadId);
  if ("input" in begin && mayBeRefused(begin)) {
    try {
      return await run(id);
    } catch (error) {
      if (!PawlError.is(error, "not_found")) throw error;
    }
  }
  const { metadata = {} } = "input" in begin ? begin : {};
  await createOnce(runtime.store, { id, userId, agent, metadata });
  return await run(id);
}

type Message = Extract<Begin, { input: unknown }>;

/** Returns whether a message has more than its text, which the dialect has checked. */
function mayBeRefused({ input, clientTools, knowledge, params }: Message): boolean {
  return typeof input !== "string" || [clientTools, knowledge, params].some((more) => more !== undefined);
}

/**
 * Derives a session's id from the user, the agent and the user's name for it. So two identical requests begin
 * one session.
 */
async function sessionIdOf(userId: string, agent: string, threadId: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(["thread", agent, userId, threadId]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
