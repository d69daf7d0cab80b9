import type { Agent, WhenBusy } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { EventData, NewEvent } from "../../log/event.ts";
import { eventKey } from "../../log/event-keys.ts";
import type { Session } from "../../log/session-row.ts";

/** A user's message on its way into the log. */
export interface IncomingMessage {
  session: Session;
  agent: Agent;
  message: string;
  knowledge?: readonly EventData["knowledge"][] | undefined;
  params?: JsonObject | undefined;
  clientMessageId?: string | undefined;
  signal?: AbortSignal | undefined;
  whenBusy: WhenBusy;
  /**
   * A task of another agent. Its id alone says which one it is: after a crash its words may be made
   * differently.
   */
  isTask?: true;
}

/**
 * The events that store it and what came with it, once if its client has given it an id. The message is the
 * last one.
 */
export function messageEvents(
  { message, knowledge = [], params, clientMessageId }: IncomingMessage,
  queued: boolean,
): NewEvent[] {
  return [
    ...knowledge.map((data): NewEvent => ({ type: "knowledge", data })),
    {
      type: "user_message",
      data: {
        message: message.toWellFormed(),
        ...(queued && { queued }),
        ...(params !== undefined && { params }),
      },
      ...(clientMessageId !== undefined && { key: eventKey.message(clientMessageId) }),
    },
  ];
}

/** Why a message is refused while a run is at work. */
export function busy(): PawlError {
  return new PawlError("session_busy", "This session is still at work. Wait for it, or stop it.");
}
