import { PawlError, type Runtime, type Session } from "@pawl/core";

/**
 * The session, if it is this user's and this agent's.
 *
 * @throws PawlError `not_found` for any other, whether it exists or not.
 */
export async function ownSession(
  runtime: Runtime,
  agent: string,
  userId: string,
  id: string,
): Promise<Session> {
  const session = await runtime.store.sessions.get(id);
  if (session?.userId !== userId || session.agent !== agent) {
    throw new PawlError("not_found", "There is no such session.");
  }
  return session;
}

/**
 * The user that `authorize` names. Without types a name can get lost on the way: then it is nobody's request, not that of all
 * who have none.
 *
 * @throws PawlError `config`.
 */
export function checkUserId(userId: unknown): string {
  if (typeof userId === "string" && userId !== "") return userId;
  throw new PawlError("config", "authorize() names nobody: a `userId` is a text, and not empty.");
}
