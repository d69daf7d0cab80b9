import { canonicalJson, type Json, type JsonObject, type ToolContext } from "@pawl/core";
import { McpFailure } from "../base/failure.ts";
import { isObject, objectIn, own } from "../base/json.ts";
import type { McpServerOptions } from "../connect/options.ts";
import { type AskedState, checkRound, questionFor } from "./question.ts";
import { sealOf } from "./seal.ts";
import { steppedUp } from "./stepped-up.ts";

/** One round of a server's questions. */
export interface Round {
  round: number;
  requests: JsonObject;
  answers: JsonObject;
  requestState: string | null;
}

/** Asks the user the next question of a round that has no answer yet. */
export async function askNext<Deps>(
  { name, stateKey }: McpServerOptions<Deps>,
  tool: string,
  context: ToolContext<Deps>,
  { round, requests, answers, requestState }: Round,
): Promise<never> {
  checkRound(name, requests, requestState);
  const asking = Object.keys(requests).find((key) => !Object.hasOwn(answers, key)) as string;
  const question = questionFor(name, tool, own(requests, asking));
  const isSealed = stateKey !== undefined && requestState !== null;
  const kept = isSealed ? await sealOf(stateKey, context.idempotencyKey).close(requestState) : requestState;
  const state: AskedState = {
    round,
    requests,
    answers,
    asking,
    requestState: kept,
    isSealed,
    ...steppedUp(context),
  };
  return context.ask({ ...question, state });
}

/** Returns the round in which the call has asked, with the user's answer; `undefined` if it has not asked. */
export async function askedBefore<Deps>(
  { name, stateKey }: McpServerOptions<Deps>,
  { answered, idempotencyKey }: ToolContext<Deps>,
): Promise<Round | undefined> {
  if (answered === undefined) return undefined;
  const state = answered.state;
  // The user has signed in again; the call had not asked before.
  if (answered.value === true && !isAskedState(state)) return undefined;
  if (!isAskedState(state)) throw lostState(name);
  const { round, requests, answers, asking, requestState: kept, isSealed } = state;
  const opened =
    isSealed && typeof kept === "string"
      ? stateKey && (await sealOf(stateKey, idempotencyKey).open(kept))
      : kept;
  if (opened === undefined || (opened !== null && typeof opened !== "string")) throw lostState(name);
  const isSignIn = answered.value === true;
  const fresh = isSignIn ? answers : { ...answers, [asking]: answered.value };
  return { round, requests, answers: fresh, requestState: opened };
}

function isAskedState(state: Json): state is AskedState {
  return isObject(state) && typeof state.round === "number" && isObject(state.requests ?? null);
}

/** Whether the user declined, and the server repeats the same questions. It would never stop. */
export function refusedAgain({ requests, answers }: Round, again: JsonObject): boolean {
  return Object.entries(again).some(([key, request]) => {
    const { action } = objectIn(own(answers, key));
    const before = own(requests, key);
    const isSame = before !== undefined && canonicalJson(before) === canonicalJson(request ?? null);
    return isSame && (action === "decline" || action === "cancel");
  });
}

function lostState(server: string): McpFailure {
  const message = `What "${server}" needs to continue after the user's answer cannot be read any more. What the call did before its question may have taken effect. Call the tool again to ask again.`;
  return new McpFailure("mcp_refused", "failed", message);
}
