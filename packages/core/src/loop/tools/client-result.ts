import { type ResultEvent, resultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import { validateAnswer } from "../leg/validate-for.ts";
import { applyAfterToolHooks, successResult } from "./call-result.ts";

/** A call of a tool that a page has run. */
interface ClientCall {
  call: CallState;
  tool: Tool;
  input: unknown;
  asks: NonNullable<Tool["suspends"]>;
}

/**
 * Returns the result of a call that a page has answered, as the `afterTool` hooks have changed it. Nothing
 * runs in this process, so there is no `tool_started`.
 */
export async function clientResult(leg: Leg, client: ClientCall): Promise<ResultEvent> {
  return await applyAfterToolHooks(leg, client, await answeredResult(leg, client));
}

/** Returns the result of a page: its answer if it is valid, otherwise a failure. */
async function answeredResult(leg: Leg, { call, tool, asks }: ClientCall): Promise<ResultEvent> {
  if (call.answer?.error !== undefined) return resultEvent(call, false, call.answer.error);
  // Validated here too: a database function (Supabase) may have stored the answer. It does not check schemas.
  const answer = await validateAnswer(leg, asks.answer, call);
  if (!answer.ok) {
    const { wrongAnswer } = await leg.parts.load();
    return resultEvent(call, false, wrongAnswer(call, asks.answer, answer.problems));
  }
  return await successResult(leg, { call, tool }, answer.value);
}
