import type { EventStore, Session } from "@pawl/core";

/** A session for the list of past sessions. */
export interface PastSession {
  id: string;
  /** The beginning of the first message. */
  title: string;
  status: Session["status"];
  /** The type that the session began with, if any. */
  type?: string;
  /** ISO 8601, UTC. */
  updatedAt: string;
}

const SHOWN = 20;
const TITLE_LENGTH = 80;

/** Lists the user's sessions, newest first. Leaves out sessions without a message. */
export async function pastSessions(store: EventStore, userId: string, agent: string): Promise<PastSession[]> {
  const sessions = await store.sessions.list({ userId, agent, limit: SHOWN });
  const listed = await Promise.all(sessions.map((session) => listedSession(store, session)));
  return listed.filter((session) => session !== undefined);
}

async function listedSession(store: EventStore, session: Session): Promise<PastSession | undefined> {
  const { id, status, updatedAt, metadata } = session;
  for await (const event of store.read(id, { types: ["user_message"], limit: 1 })) {
    if (event.type !== "user_message") continue;
    const title = event.data.message.replace(/\s+/g, " ").trim();
    const short = title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1)}…` : title;
    return {
      id,
      title: short,
      status,
      updatedAt,
      ...(typeof metadata.type === "string" && { type: metadata.type }),
    };
  }
  return undefined;
}
