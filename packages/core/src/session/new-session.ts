import { PawlError } from "../errors.ts";
import type { Session } from "../events/session-row.ts";
import type { Host } from "../host.ts";
import type { RunOptions } from "../runtime-types.ts";
import { sha256 } from "../sha256.ts";

/**
 * The session that a first message opens. If the message has an id of its client's, the session's follows from it: a
 * message that is sent again because the response got lost does not open a second session.
 */
export async function newSession(
  host: Host,
  agent: string,
  { userId, clientMessageId, metadata }: RunOptions,
): Promise<Session> {
  const id =
    clientMessageId === undefined
      ? host.newId()
      : (await sha256(JSON.stringify([agent, userId, clientMessageId]))).slice(0, 32);
  try {
    return await host.store.sessions.create({ id, userId, agent, ...(metadata && { metadata }) });
  } catch (error) {
    const known = PawlError.is(error, "conflict") ? await host.store.sessions.get(id) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}
