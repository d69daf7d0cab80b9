import type { Agent, WhenBusy } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { eventKey } from "../../log/event-keys.ts";
import type { CalledBy, FileReference } from "../../log/event-parts.ts";
import type { Session } from "../../log/session-row.ts";
import type { ToolSpec } from "../../model/content.ts";
import { storedCaller } from "../leg/access.ts";
import type { CallerOptions, LegOptions } from "../leg/host.ts";

/** A user's message before it is stored. */
export interface IncomingMessage extends CallerOptions {
  session: Session;
  agent: Agent;
  message: string;
  files?: readonly FileReference[] | undefined;
  knowledge?: readonly EventData["knowledge"][] | undefined;
  params?: JsonObject | undefined;
  clientMessageId?: string | undefined;
  /** The tools that the client offers. */
  clientTools?: readonly ToolSpec[] | undefined;
  signal?: AbortSignal | undefined;
  whenBusy: WhenBusy;
  /**
   * Set for a task from another agent. If a message with its `clientMessageId` is already stored, it counts
   * as the same task even if its text differs: after a crash, the calling agent may send a different text.
   */
  isTask?: true;
  /**
   * Called once the message is stored, before the model is asked and hooks are called. If it resolves to
   * `false`, the run ends as stopped. Default: the run begins.
   */
  mayBegin?(): Promise<boolean>;
}

/**
 * Returns the events that store a message and its knowledge, the message last. A message with a client id is
 * stored only once. With `queued`, the event of the message has its caller and its client's tools.
 */
export function messageEvents(
  {
    message,
    files = [],
    knowledge = [],
    params,
    clientMessageId,
    clientTools = [],
    ...from
  }: IncomingMessage,
  queued: boolean,
): NewEvent[] {
  return [
    ...knowledge.map((data): NewEvent => ({ type: "knowledge", data })),
    {
      type: "user_message",
      data: {
        message: message.toWellFormed(),
        ...(queued && { queued, ...storedCallerFields(from) }),
        ...(params !== undefined && { params }),
        ...(files.length > 0 && { files: [...files] }),
        ...(queued && clientTools.length > 0 && { client_tools: [...clientTools] }),
      },
      ...(clientMessageId !== undefined && { key: eventKey.message(clientMessageId) }),
    },
  ];
}

/**
 * Returns the caller and credentials of the run that a message or a retry starts. Default of `caller`: `{}`.
 */
export function senderOf({ caller = {}, credentials }: CallerOptions): CallerOptions {
  return { caller, credentials };
}

/** Returns the caller and credentials of a message's run, and the tools that its client offers. */
export function legOptionsOf(
  from: Pick<IncomingMessage, "caller" | "credentials" | "clientTools">,
): LegOptions {
  return { ...senderOf(from), clientTools: from.clientTools ?? [] };
}

/** Returns the stored fields of a caller. Of credentials, only the fact that there are some is stored. */
export function storedCallerFields(from: CallerOptions): CalledBy {
  const caller = storedCaller(from);
  return {
    ...(caller !== undefined && { caller }),
    ...(from.credentials !== undefined && { credentials: true as const }),
  };
}

/** Returns the error `session_busy`, which refuses a message or a retry during a run. */
export function busyError(): PawlError {
  return new PawlError(
    "session_busy",
    "The last message is still being answered. Wait for the answer, or stop it.",
  );
}
