import { PawlError, type Runtime, type Session } from "@pawl/core";
import type { Caller } from "./caller.ts";
import { refuseUnknownFields } from "./caller-fields.ts";

/**
 * Returns a session if it belongs to this user and this agent.
 *
 * @throws PawlError `not_found` for any other session, whether or not it exists. If it is the user's, but of
 * another agent, the message says so. If the runtime lacks that agent, so does the error's `cause`, which
 * clients do not get.
 */
export async function ownSession(
  runtime: Runtime,
  agent: string,
  userId: string,
  id: string,
): Promise<Session> {
  const session = await runtime.store.sessions.get(id);
  if (session?.userId !== userId || session.agent !== agent) {
    if (session?.userId !== userId || session.metadata.parent !== undefined)
      throw new PawlError("not_found", "There is no such session.");
    const why = runtime.agents.has(session.agent) ? {} : { cause: unserved(session) };
    throw new PawlError("not_found", "This session belongs to another agent.", why);
  }
  return session;
}

/** Returns whether a value is a `Response`, also one of another library or realm. */
export function isResponse(value: unknown): value is Response {
  const { userId, headers, status } = Object(value);
  return userId === undefined && headers !== undefined && typeof status === "number";
}

/**
 * Returns a response of the application's own, to send it.
 *
 * @throws PawlError `config` if it has been sent or read before, e.g. because it is a constant.
 */
export function unsent(response: Response, whose: string): Response {
  if (response.bodyUsed !== true && response.body?.locked !== true) return response;
  throw new PawlError(
    "config",
    `${whose} returned a Response whose body has been read or sent before. Make a new Response for each request.`,
  );
}

/**
 * Checks the result of `authorize`. Without this check, all users without an id would share their sessions.
 *
 * @throws PawlError `config` if the user's id is missing or empty, `caller` is no object, or there are other
 * fields.
 */
export function checkCaller(given: Caller): Caller {
  checkUser(given);
  refuseUnknownFields(given);
  if (given.caller !== undefined && Object.prototype.toString.call(given.caller) !== "[object Object]")
    throw new PawlError("config", "`caller` of what authorize() returns must be an object.");
  return given;
}

function checkUser(caller: { userId: string }): void {
  const userId: unknown = (caller as { userId?: unknown } | undefined)?.userId;
  if (typeof userId === "string" && userId !== "") return;
  const given = typeof caller === "object" ? "an object without a valid `userId`" : `type ${typeof caller}`;
  throw new PawlError(
    "config",
    `authorize() must return { userId } with a string that is not empty, or null, or a Response; got ${given}.`,
  );
}

/** Returns the error for a session of an agent that the runtime lacks, e.g. under an agent's former name. */
function unserved({ agent }: Session): PawlError {
  const message = `A client has asked for a session of the agent "${agent}", which this runtime lacks. The session cannot be reached.`;
  return new PawlError("not_found", message);
}
