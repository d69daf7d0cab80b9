import { type Json, jsonSchema, type ToolContext } from "@pawl/core";
import { McpFailure } from "../base/failure.ts";
import { isObject, objectIn } from "../base/json.ts";
import { callerOf } from "../base/user.ts";
import type { McpServerOptions } from "../connect/options.ts";
import type { Pool } from "../connect/pool.ts";
import { definitionOf, type ListedTool } from "./fingerprint.ts";
import { connectorOf } from "./names.ts";
import { steppedUp } from "./stepped-up.ts";

/** The options and connections of the server to sign in to. */
export interface SignInAsker<Deps> {
  options: McpServerOptions<Deps>;
  pool: Pool<Deps>;
  /** The tool that is called, as its server lists it. Absent for the tool that only signs in. */
  listed?: ListedTool;
}

/**
 * Asks the user to sign in, or for credentials, if the server refuses the user's; once more if it then wants
 * more rights. What the call had stored is stored with this question, too.
 *
 * @throws McpFailure `failure` if nobody can be asked, or the user was asked already
 */
export async function askToSignIn<Deps>(
  { options, pool, listed }: SignInAsker<Deps>,
  context: ToolContext<Deps>,
  failure: McpFailure,
): Promise<never> {
  const { answered, sessionId, callId } = context;
  const connector = connectorOf(options.name);
  const isStepUp = failure.wants !== undefined && pool.signIns !== undefined;
  const unsent = listed && { definition: await definitionOf(options, listed) };
  const before = (answered && withAnswer(answered)) ?? unsent;
  const state = isStepUp ? { ...objectIn(before), steppedUp: true } : before;
  const kept = state !== undefined && { state };
  // `true` is the answer of a user after signing in, `false` of one that refuses to. After `true`, the server
  // may want more rights, once.
  const wasAsked = isStepUp ? steppedUp(context).steppedUp : typeof answered?.value === "boolean";
  if (wasAsked) throw failure;
  if (pool.signIns !== undefined) {
    const url = await pool.signIns.begin(callerOf(context), { sessionId, callId });
    const payload = { connector, url };
    return context.ask({ kind: "sign_in", payload, answer: jsonSchema({ type: "boolean" }), ...kept });
  }
  if (options.onUnauthorized !== "ask") throw failure;
  return context.ask({
    kind: "credentials",
    payload: { connector },
    answer: jsonSchema({ const: true }),
    ...kept,
  });
}

/**
 * Refuses a call that was not sent, because its user had to sign in, if its tool or server is another one by
 * now: the user has approved what was there before.
 *
 * @throws McpFailure
 */
export async function refuseChanged<Deps>(
  { options, listed }: Required<Pick<SignInAsker<Deps>, "options" | "listed">>,
  { answered }: Pick<ToolContext<Deps>, "answered">,
): Promise<void> {
  const { definition } = objectIn(answered?.state);
  if (definition === undefined || definition === (await definitionOf(options, listed))) return;
  const message = `Not run: "${listed.name}" of "${options.name}" has changed while the user signed in. Call the tool again if it is still needed.`;
  throw new McpFailure("mcp_refused", "not_sent", message);
}

/** Returns the stored state of a call with the answer that it has just got, so that nobody is asked again. */
function withAnswer({ state, value }: NonNullable<ToolContext["answered"]>): Json {
  if (!isObject(state) || !isObject(value) || typeof state.asking !== "string") return state;
  return { ...state, answers: { ...objectIn(state.answers), [state.asking]: value } };
}

/** Returns the failure of a call whose user does not want to sign in. */
export function notSignedIn(server: string, isTask: boolean): McpFailure {
  const rest = isTask ? " The task of this call may still be running." : "";
  const message = `The user does not want to sign in to "${server}".${rest}`;
  return new McpFailure("mcp_unauthorized", isTask ? "unknown" : "not_sent", message);
}
