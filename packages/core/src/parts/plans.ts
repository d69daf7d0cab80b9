import type { Agent } from "../agent/agent.ts";
import { missingPricesText, unpriced, whyPricesNeeded } from "../agent/check-tools.ts";
import type { TurnPlan } from "../hooks/turn-plan.ts";
import type { ToolChoice } from "../model/model-client.ts";
import { checkPricing } from "../model/pricing.ts";

/**
 * Checks a turn's plan that a hook has changed, and returns it without unknown fields.
 *
 * @throws Error with the invalid field and the values that it may have.
 */
export function checkPlan(agent: Agent, plan: TurnPlan): TurnPlan {
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
    ...(tools && { tools }),
  };
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
