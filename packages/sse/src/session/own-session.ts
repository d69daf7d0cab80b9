import { PawlError, type Runtime, type Session } from "@pawl/core";

/**
 * Returns a session if it belongs to this user and this agent.
 *
 * @throws PawlError `not_found` for any other session, whether or not it exists.
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

/** Returns whether a value is a `Response`, also one of another library or realm. */
export function isResponse(caller: object): caller is Response {
  return typeof caller === "object" && !("userId" in caller) && "headers" in caller;
}

/**
 * Returns the user's id from the result of `authorize`. Without this check, all users without an id would
 * share their sessions.
 *
 * @throws PawlError `config` if the id is missing or empty.
 */
export function checkUser(caller: { userId: string }): string {
  const userId: unknown = (caller as { userId?: unknown } | undefined)?.userId;
  if (typeof userId === "string" && userId !== "") return userId;
  const given = typeof caller === "object" ? "an object without a valid `userId`" : `type ${typeof caller}`;
  throw new PawlError(
    "config",
    `authorize() must return { userId } with a string that is not empty, or null, or a Response; got ${given}.`,
  );
}
