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

/** What turns a request away, from whatever library or realm it is. */
export function isResponse(caller: object): caller is Response {
  return typeof caller === "object" && !("userId" in caller) && "headers" in caller;
}

/**
 * The user that `authorize` names. Without types a name can get lost on the way: then it is nobody's request,
 * not that of all who have none.
 *
 * @throws PawlError `config`.
 */
export function checkUser(caller: { userId: string }): string {
  const userId: unknown = (caller as { userId?: unknown } | undefined)?.userId;
  if (typeof userId === "string" && userId !== "") return userId;
  throw new PawlError(
    "config",
    "authorize() names nobody: it returns `{ userId }`, a text that is not empty, or `null`, or a Response.",
  );
}
