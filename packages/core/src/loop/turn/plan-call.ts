import { type Prompt, promptOf, requestEvent, requestOf } from "../../context/build-request.ts";
import { newPrefix } from "../../context/prefix.ts";
import { hasLostServerCalls } from "../../context/server-calls.ts";
import type { TurnPlan } from "../../hooks/hook.ts";
import type { Leg } from "../../leg/leg.ts";
import type { EventData } from "../../log/event.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../../model/model-client.ts";
import { openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import { roomFor } from "../../stop/room.ts";
import { planRequest } from "../hooks/turn-hooks.ts";

/** A call that is allowed, and the event that says it was made. */
export interface ModelCall {
  model: ModelClient;
  request: ModelRequest;
  event: EventData["llm_request"];
}

/** What follows in place of a model call: the run's last turn, or its end. */
export interface InsteadOfCall {
  do: "land" | "end";
  stop: StopReason;
}

/**
 * The next request, as the plan, the hooks and the limits want it; or what follows instead. `undefined`: the
 * leg was stopped meanwhile.
 */
export async function planCall(leg: Leg, wanted: TurnPlan): Promise<ModelCall | InsteadOfCall | undefined> {
  if (hasLostServerCalls(leg.log.state)) await leg.log.append([newPrefix(leg.log.state, leg.newId())]);
  const prompt = promptOf(leg.log.state);
  const estimatedTokens = leg.agent.estimateTokens(prompt.chars);
  const planned = await planRequest(leg, wanted, (plan) => ({
    request: requestOf(prompt, paramsOf(leg, plan)),
    estimatedTokens,
    plan,
  }));
  if (leg.life.signal.aborted) return undefined;
  if (planned.stop) return { do: "end", stop: planned.stop };
  return await withinLimits(leg, prompt, { ...planned.plan, estimatedTokens });
}

/** The call, with an answer no longer than the limits allow. */
async function withinLimits(
  leg: Leg,
  prompt: Prompt,
  plan: TurnPlan & { estimatedTokens: number },
): Promise<ModelCall | InsteadOfCall> {
  const { state } = leg.log;
  const { model, tools, estimatedTokens } = plan;
  const left = remainingOf(state, leg.agent, leg.life.legMs());
  const last = openRun(state)?.landing !== undefined;
  const keepLast = leg.agent.onLimit === "land" && !last;
  const call = { estimatedTokens, maxTokens: plan.maxTokens, pricing: model.pricing };
  const room = roomFor(left, call, keepLast);
  if ("type" in room) return { do: keepLast ? "land" : "end", stop: room };
  const params = { ...paramsOf(leg, plan), maxTokens: room.maxTokens };
  const event = await requestEvent(state, prompt, {
    ...params,
    model: model.id,
    estimatedTokens,
    pricing: model.pricing,
    limitedBy: room.limitedBy,
    ...(tools !== undefined && { tools }),
  });
  return { model, request: requestOf(prompt, params), event };
}

/** In the last turn the model speaks and uses no tool; a choice among no tools would be refused. */
function paramsOf(
  leg: Leg,
  { model, maxTokens, toolChoice = toolOnlyChoice(leg.agent, model) }: TurnPlan,
): { maxTokens: number; toolChoice?: ToolChoice } {
  const hasTools = (leg.log.state.prefix?.tools.length ?? 0) > 0;
  if (!hasTools) return { maxTokens };
  if (openRun(leg.log.state)?.landing !== undefined) return { maxTokens, toolChoice: { type: "none" } };
  return { maxTokens, ...(toolChoice !== undefined && { toolChoice }) };
}

/** What an agent that acts by tools alone asks of the model of this turn: one call, by force if it may. */
function toolOnlyChoice({ toolOnly }: Leg["agent"], model: ModelClient): ToolChoice | undefined {
  if (!toolOnly) return undefined;
  return { type: model.forcedToolChoice === true ? "any" : "auto", disable_parallel_tool_use: true };
}
