import { sha256 } from "../../base/sha256.ts";
import { createOnce } from "../../log/create-once.ts";
import type { Session, SessionStatus } from "../../log/session-row.ts";
import type { Host } from "../leg/host.ts";
import type { RunOptions } from "./runtime-types.ts";

/**
 * The session that a first message opens. If the message has an id of its client's, the session's follows
 * from it: a message that is sent again because the response got lost does not open a second session.
 */
export async function newSession(
  host: Host,
  agent: string,
  { userId, clientMessageId, metadata }: RunOptions,
): Promise<Session> {
  const id = clientMessageId === undefined ? host.newId() : await idFrom([agent, userId, clientMessageId]);
  return await createOnce(host.store, { id, userId, agent, ...(metadata && { metadata }) });
}

const OPEN: readonly SessionStatus[] = ["active", "suspended"];

/**
 * The user's newest session that is open, or a new one. Its id follows from the session before it, so all who
 * find none at the same moment make the same one.
 */
export async function getOrCreateSession(host: Host, agent: string, userId: string): Promise<Session> {
  const newest = async (status?: readonly SessionStatus[]) =>
    (await host.store.sessions.list({ userId, agent, limit: 1, ...(status && { status }) }))[0];
  // This one first: what is made after it was looked for is either found among the open ones or made here
  // once more.
  let last = await newest();
  if (last !== undefined && !OPEN.includes(last.status)) last = (await newest(OPEN)) ?? last;
  while (last === undefined || !OPEN.includes(last.status)) {
    const id = await idFrom([agent, userId, "after", last?.id ?? null]);
    last = await createOnce(host.store, { id, userId, agent });
  }
  return last;
}

async function idFrom(names: readonly (string | null)[]): Promise<string> {
  return (await sha256(JSON.stringify(names))).slice(0, 32);
}
