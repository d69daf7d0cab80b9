import { type Json, PawlError } from "@pawl/core";
import { checkNames, isName, jsonText, noSession } from "@pawl/core/store";
import { call, type RpcClient } from "../rpc/rpc.ts";
import { type Sent, toSent } from "./send-message.ts";

/** An answer of the signed-in user to a pending question. */
export interface OwnAnswer {
  /** A session of the user whose token the client has. */
  sessionId: string;
  /** `seq` of the question, an event `tool_suspended`. */
  question: number;
  value: Json;
  /** A new id for every answer. A call repeated with the same id returns the first call's event. */
  appendId: string;
}

/**
 * Stores the answer to a question with its user's own token; the first one counts. A runtime that sweeps
 * resumes the run. The value may have 1,000,000 bytes as JSON and 500 levels. The database does not know the
 * question's schema: the runtime checks the answer when it resumes the run, and refuses the call if the
 * answer does not fit.
 *
 * @throws PawlError `not_found` (no such question in a session of this user), `already_answered`,
 * `invalid_input` (no run waits for it, or it is too large or too deep), `forbidden` (not signed in) or
 * `store_unavailable`
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { answer } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const client = createClient("http://127.0.0.1:1", "sb_publishable_of_yours", {
 *   accessToken: async () => "the user's",
 * });
 * const yes = { sessionId: "s1", question: 7, value: { yes: true }, appendId: crypto.randomUUID() };
 * await answer(client, yes).catch((error) => {
 *   if (PawlError.is(error, "store_unavailable"))
 *     console.log("Nobody is there. Try again, with the same append id.");
 * });
 * ```
 */
export async function answer(client: RpcClient, own: OwnAnswer): Promise<Sent> {
  const { sessionId, question, value, appendId } = own;
  if (!isName(sessionId)) throw noSession(sessionId);
  checkNames(appendId);
  try {
    return toSent(
      await call(client, "pawl_rpc_answer", {
        p_session_id: sessionId,
        p_append_id: appendId,
        p_question: question,
        p_value: jsonText(value),
      }),
    );
  } catch (error) {
    if (!PawlError.is(error, "conflict")) throw error;
    throw new PawlError("already_answered", "This question has been answered already.", { cause: error });
  }
}
