import { checkOptions, type Json, type OptionKinds, PawlError } from "@pawl/core";
import { checkNames, isName, jsonText, noSession } from "@pawl/core/store";
import { checkRpcClient } from "../rpc/check-client.ts";
import { call, type RpcClient } from "../rpc/rpc.ts";
import { type Sent, toSent } from "./send-message.ts";

/** The signed-in user's answer to a pending question. */
export interface OwnAnswer {
  /** Id of a session of the user whose token the client has. */
  sessionId: string;
  /** The number (`seq`) of the question's event, a `tool_suspended`. */
  question: number;
  /** The answer. It must fit the question's schema. */
  value: Json;
  /**
   * A new, unique id for each answer. Call again with the same id after a failure: the answer is stored once.
   */
  appendId: string;
}

const OPTIONS: OptionKinds<OwnAnswer> = {
  sessionId: "string!",
  question: "number!",
  value: "any!",
  appendId: "string!",
};

/** The most nested levels of an answer. The function in the database refuses more, too. */
const MAX_LEVELS = 500;

/**
 * Stores the user's answer to a question, with the user's own token. Only the first answer counts. The next
 * sweep of a runtime resumes the run, and checks the answer against the question's schema: if it does not
 * fit, the call fails. The value may have up to 1,000,000 bytes as JSON and 500 nested levels.
 *
 * @throws PawlError
 *
 * - `not_found`: this user has no session with such a question
 * - `already_answered`: another answer was first
 * - `invalid_input`: no run waits for the answer, or its value is too large or too deeply nested
 * - `forbidden`: the user is not signed in
 * - `store_unavailable`: Supabase failed; try again with the same append id
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
  checkRpcClient("answer()", client);
  checkOptions("answer()", own, OPTIONS, { code: "invalid_input", instead: { seq: "Use `question`." } });
  const { sessionId, question, value, appendId } = own;
  if (!isName(sessionId)) throw noSession(sessionId);
  checkNames(appendId);
  try {
    return toSent(
      await call(client, "pawl_rpc_answer", {
        p_session_id: sessionId,
        p_append_id: appendId,
        p_question: question,
        p_value: jsonText(value, MAX_LEVELS),
      }),
    );
  } catch (error) {
    if (!PawlError.is(error, "conflict")) throw error;
    throw new PawlError("already_answered", "This question has been answered already.", { cause: error });
  }
}
