import { missingPricesText, unpriced, whyPricesNeeded } from "../agent/check-tools.ts";
import type { TurnChange, TurnPlan } from "../hooks/turn-plan.ts";
import { hiddenStop } from "../loop/hooks/turn-hooks.ts";
import { effectiveType } from "../loop/leg/effective-type.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Planned } from "../loop/leg/part-types.ts";
import type { ToolChoice } from "../model/model-client.ts";
import { checkPricing } from "../model/pricing.ts";
import { toolsInRole } from "./roles.ts";

/** Applies a hook's changes to the plan. Fields that are `undefined` change nothing. */
export async function changedPlan(leg: Leg, plan: TurnPlan, change: TurnChange): Promise<Planned> {
  if (typeof change !== "object")
    throw new Error(`a change of plan must be an object, not of type ${typeof change}.`);
  if ("stop" in change) return { stop: await hiddenStop(leg, change) };
  const { model = plan.model, maxTokens = plan.maxTokens } = change;
  const { toolChoice = plan.toolChoice, tools = plan.tools } = change;
  const whole = { model, maxTokens, ...(toolChoice && { toolChoice }), ...(tools && { tools }) };
  return { plan: checkPlan(leg, whole) };
}

/**
 * Checks a turn's plan that a hook has changed, and returns it without unknown fields.
 *
 * @throws Error with the invalid field and the values that it may have.
 */
function checkPlan(leg: Leg, plan: TurnPlan): TurnPlan {
  const { agent } = leg.run;
  const { tools: agentTools, model: agentModel, hooks } = agent;
  const { model, maxTokens, toolChoice, tools } = plan;
  if (typeof model?.stream !== "function")
    throw new Error(`\`model\` must be a ModelClient, not a value of type ${typeof model}.`);
  // `agent()` has checked the prices of the agent's own model.
  if (model !== agentModel) {
    checkPricing(model.id, model.pricing);
    const isCostCounted = hooks.some(({ needsPrices }) => needsPrices);
    const unpricedModel = isCostCounted && unpriced(agent, model.models ?? [model]);
    if (unpricedModel) throw new Error(`${whyPricesNeeded(agent)}, but ${missingPricesText(unpricedModel)}`);
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new Error(`maxTokens must be a whole number from 1, not ${maxTokens}.`);
  }
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === "string"))) {
    throw new Error("`tools` must be a list of tool names.");
  }
  if (toolChoice?.type === "tool" && !agentTools.has(toolChoice.name)) {
    throw new Error(`toolChoice names the tool "${toolChoice.name}", which the agent does not have.`);
  }
  return {
    model,
    maxTokens,
    ...(toolChoice && { toolChoice: choiceOf(toolChoice) }),
    ...(tools && { tools: agent.roles === undefined ? tools : withinRole(leg, tools) }),
  };
}

/** Leaves out the tools that the current role does not have. */
function withinRole(leg: Leg, tools: readonly string[]): string[] {
  const allowed = toolsInRole(leg.run.agent, effectiveType(leg) ?? "");
  return tools.filter((tool) => allowed.includes(tool));
}

/** Returns the tool choice without fields that the API does not know. @throws Error for an unknown type */
function choiceOf(choice: ToolChoice): ToolChoice {
  const { type } = choice;
  if (type === "none") return { type };
  if (type !== "auto" && type !== "any" && type !== "tool") {
    throw new Error(`toolChoice.type must be "auto", "any", "tool" or "none", not "${type}".`);
  }
  const single = choice.disable_parallel_tool_use;
  const parallel = single === undefined ? {} : { disable_parallel_tool_use: Boolean(single) };
  return type === "tool" ? { type, name: choice.name, ...parallel } : { type, ...parallel };
}
