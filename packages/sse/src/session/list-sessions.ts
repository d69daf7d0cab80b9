import { type EventStore, readShown, type Session } from "@pawl/core";

/** The longest title that is made from a message, in characters. */
const TITLE_LENGTH = 80;

/** A session as `GET /sessions` lists it. */
export interface ListedSession extends Session {
  /**
   * `metadata.title`, if the application has set one, or else the beginning of the first message. Absent if
   * the session has no message.
   */
  title?: string;
}

/** Returns the user's sessions with this agent, newest first. */
export async function listSessions(
  store: EventStore,
  userId: string,
  agent: string,
): Promise<ListedSession[]> {
  const sessions = await store.sessions.list({ userId, agent });
  return await Promise.all(sessions.map((session) => listed(store, session)));
}

async function listed(store: EventStore, session: Session): Promise<ListedSession> {
  const { title } = session.metadata;
  if (typeof title === "string" && title !== "") return { ...session, title };
  const first = await firstMessage(store, session.id);
  return first === undefined ? session : { ...session, title: shortened(first) };
}

async function firstMessage(store: EventStore, sessionId: string): Promise<string | undefined> {
  for await (const event of readShown(store, sessionId, { types: ["user_message"], limit: 1 })) {
    if (event.type === "user_message") return event.data.message;
  }
  return undefined;
}

function shortened(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length > TITLE_LENGTH ? `${characters.slice(0, TITLE_LENGTH - 1).join("")}…` : line;
}
