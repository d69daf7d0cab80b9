import type { Agent } from "./agent.ts";
import { PawlError } from "./errors.ts";
import type { NewEvent } from "./events/event.ts";
import type { Session } from "./events/session-row.ts";
import { eventKey } from "./session/keys.ts";

/** A user's message on its way into the log. */
export interface Said {
  session: Session;
  agent: Agent;
  message: string;
  clientMessageId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The event that stores it, once if its client has given it an id. */
export function messageEvent({ message, clientMessageId }: Said, queued: boolean): NewEvent {
  return {
    type: "user_message",
    data: { message: message.toWellFormed(), ...(queued && { queued }) },
    ...(clientMessageId !== undefined && { key: eventKey.message(clientMessageId) }),
  };
}

/** Why a message is refused while a run is at work. */
export function busy(): PawlError {
  return new PawlError("session_busy", "This session is still at work. Wait for it, or stop it.");
}
