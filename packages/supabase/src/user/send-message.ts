import { PawlError, type StoredEvent } from "@pawl/core";
import { checkNames, isName, jsonText, noSession } from "@pawl/core/store";
import { call, type Row, type RpcClient } from "../rpc/rpc.ts";
import { read } from "../store/read.ts";

/** An event that a user has stored. */
export interface Sent {
  seq: number;
  /** ISO 8601, UTC. */
  at: string;
}

/** A message of the signed-in user. */
export interface OwnMessage {
  /** A session of the user whose token the client has. */
  sessionId: string;
  message: string;
  /** A new id for every message. A call repeated with the same id returns the first call's event. */
  appendId: string;
  /**
   * The client's own id of the message, up to 900 bytes. A message is stored once per id, whatever its append
   * id. Default: none.
   */
  clientMessageId?: string;
}

/**
 * Stores a message with its user's own token; the database generates everything but the text. A run in
 * progress picks it up (it is `queued`). It closes the question of a suspended run, which the next sweep of a
 * server resumes. Without an open run, the next run reads it: begin one with `runtime.run()` on the server.
 *
 * @throws PawlError `not_found` (no such session of this user), `invalid_input`, `key_taken` (a message with
 * this `clientMessageId` is stored: `details.event`, if the user may read it), `forbidden` (not signed in) or
 * `store_unavailable`
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
    // A user who may write may still not be allowed to read.
    const event = await messageOf(client, sessionId, key).catch(() => undefined);
    throw new PawlError("key_taken", "A message with this client message id is stored already.", {
      cause: error,
      details: { key, event },
    });
  }
}

/** Returns the user's message under this key. */
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

/** Converts the result of the users' functions. */
export function toSent({ seq, at }: Row): Sent {
  return { seq: Number(seq), at: String(at) };
}
