import { checkOptions, type OptionKinds, PawlError, type StoredEvent } from "@pawl/core";
import { checkNames, isName, jsonText, noSession } from "@pawl/core/store";
import { checkRpcClient } from "../rpc/check-client.ts";
import { call, type Row, type RpcClient } from "../rpc/rpc.ts";
import { read } from "../store/read.ts";

/** The number and time of an event that a user has stored. */
export interface Sent {
  /** `seq` of the stored event. */
  seq: number;
  /** When the event was stored: ISO 8601 in UTC. */
  at: string;
}

/** The signed-in user's message. */
export interface OwnMessage {
  /** Id of a session of the user whose token the client has. */
  sessionId: string;
  /** The message's text. */
  message: string;
  /**
   * A new, unique id for each message. Call again with the same id after a failure: the message is stored
   * once.
   */
  appendId: string;
  /**
   * The client's own id of the message, up to 900 bytes. A second message with this id is refused with
   * `key_taken`. Default: none.
   */
  clientMessageId?: string;
}

const OPTIONS: OptionKinds<OwnMessage> = {
  sessionId: "string!",
  message: "string!",
  appendId: "string!",
  clientMessageId: "string",
};

const INSTEAD = {
  input: "Use `message`.",
  text: "Use `message`.",
  userId: "It comes from the client's token.",
};

/**
 * Stores a user's message, with the user's own token.
 *
 * - During a run: the run picks the message up.
 * - While a run waits for an answer: the message closes the question, and the next sweep of a runtime resumes
 *   the run.
 * - Without an open run: the next run reads the message. Start one with `runtime.run()` on the server.
 *
 * @throws PawlError
 *
 * - `not_found`: this user has no such session
 * - `invalid_input`: the message is blank or too long
 * - `key_taken`: a message with this `clientMessageId` is stored; `details.event` has it if the user may read
 *   it
 * - `forbidden`: the user is not signed in
 * - `store_unavailable`: Supabase failed; try again with the same append id
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { sendMessage } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const client = createClient("http://127.0.0.1:1", "sb_publishable_of_yours", {
 *   accessToken: async () => "the user's",
 * });
 * const message = { sessionId: "s1", message: "Good morning", appendId: crypto.randomUUID() };
 * await sendMessage(client, message).catch((error) => {
 *   if (PawlError.is(error, "store_unavailable"))
 *     console.log("Nobody is there. Try again, with the same append id.");
 * });
 * ```
 */
export async function sendMessage(client: RpcClient, own: OwnMessage): Promise<Sent> {
  checkRpcClient("sendMessage()", client);
  checkOptions("sendMessage()", own, OPTIONS, { code: "invalid_input", instead: INSTEAD });
  const { sessionId, message, appendId, clientMessageId } = own;
  if (!isName(sessionId)) throw noSession(sessionId);
  checkNames(appendId, ...(clientMessageId === undefined ? [] : [clientMessageId]));
  try {
    return toSent(
      await call(client, "pawl_rpc_send_message", {
        p_session_id: sessionId,
        p_append_id: appendId,
        p_message: jsonText(message),
        p_client_message_id: clientMessageId ?? null,
      }),
    );
  } catch (error) {
    if (!PawlError.is(error, "conflict")) throw error;
    const key = `message:${clientMessageId}`;
    // A user may have the right to write without the right to read.
    const event = await messageOf(client, sessionId, key).catch(() => undefined);
    throw new PawlError("key_taken", "A message with this client message id is stored already.", {
      cause: error,
      details: { key, event },
    });
  }
}

/** Returns the user's message with this event key. */
async function messageOf(
  client: RpcClient,
  sessionId: string,
  key: string,
): Promise<StoredEvent | undefined> {
  for await (const event of read(client, sessionId, { types: ["user_message"] })) {
    if (event.key === key) return event;
  }
  return undefined;
}

/** Converts the result of a function that stores an event for a user. */
export function toSent({ seq, at }: Row): Sent {
  return { seq: Number(seq), at: String(at) };
}
