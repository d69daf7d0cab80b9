import { sha256 } from "../../base/sha256.ts";
import type { Session, SessionStatus } from "../../log/session-row.ts";
import { createOnce } from "../../log/store/create-once.ts";
import type { Host } from "../leg/host.ts";
import type { RunOptions } from "./run-options.ts";

/**
 * Returns the id of the session for a first message. If the message has a client id, the session's id is
 * derived from that id, so that a repeated request does not create a second session.
 */
export async function newSessionId(
  host: Host,
  agent: string,
  { userId, clientMessageId }: RunOptions,
): Promise<string> {
  if (clientMessageId === undefined) return host.newId();
  return await sessionIdOfMessage(agent, userId, clientMessageId);
}

/**
 * Returns the id of the session that `run()` creates for a first message with a client id.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { sessionIdOfMessage } from "@pawl/core/store";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * const run = pawl.run(coach, { userId: "ada", input: "Hi", clientMessageId: "m1" });
 * const { sessionId } = await run.started;
 * console.log(sessionId === (await sessionIdOfMessage("coach", "ada", "m1"))); // true
 * await run.result;
 * ```
 */
export async function sessionIdOfMessage(
  agent: string,
  userId: string,
  clientMessageId: string,
): Promise<string> {
  return await idFrom([agent, userId, clientMessageId]);
}

/** The statuses of sessions that can get more messages. */
const OPEN: readonly SessionStatus[] = ["active", "suspended"];

/**
 * Returns the user's newest open session, or creates one. The new id is derived from the id of the previous
 * session, so that concurrent calls create the same session.
 */
export async function getOrCreateSession(host: Host, agent: string, userId: string): Promise<Session> {
  const newest = async (status?: readonly SessionStatus[]) =>
    (await host.store.sessions.list({ userId, agent, limit: 1, ...(status && { status }) }))[0];
  // Looks for the newest session first, then for the newest open one. If another call creates a session
  // between the two queries, the second query finds it, or `createOnce` returns it.
  let session = await newest();
  // Without an open session, keeps the closed one: the new id is derived from its id.
  if (session !== undefined && !OPEN.includes(session.status)) session = (await newest(OPEN)) ?? session;
  // `createOnce` may return an existing session that is closed by now. Then its successor is tried.
  while (session === undefined || !OPEN.includes(session.status)) {
    const id = await idFrom([agent, userId, "after", session?.id ?? null]);
    session = await createOnce(host.store, { id, userId, agent });
  }
  return session;
}

/** Derives an id from its parts: the same parts give the same id. */
async function idFrom(parts: readonly (string | null)[]): Promise<string> {
  return (await sha256(JSON.stringify(parts))).slice(0, 32);
}
